//! The functions of Clojure (and a few of Java) that expressions may use: their names, and which
//! module computes them.

use super::eval::Interp;
use super::trap::Result;
use super::value::Value;
use super::{collections, numbers, sequences, strings};

/// Declares the functions with the names they go by.
macro_rules! builtins {
    ($($name:ident = $($text:literal)|+;)*) => {
        /// A function that the interpreter knows.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) enum Builtin { $($name),* }

        impl Builtin {
            /// The function of this name.
            pub(crate) fn from_name(name: &str) -> Option<Self> {
                Some(match name {
                    $($($text)|+ => Builtin::$name,)*
                    _ => return None,
                })
            }

            /// The first of its names.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Builtin::$name => [$($text),+][0],)*
                }
            }
        }
    };
}

builtins! {
    Add = "+" | "+'"; Sub = "-" | "-'"; Mul = "*" | "*'"; Div = "/";
    Inc = "inc" | "inc'"; Dec = "dec" | "dec'"; Mod = "mod"; Quot = "quot"; Rem = "rem";
    Max = "max"; Min = "min"; Abs = "abs" | "Math/abs";
    Equal = "="; NotEqual = "not="; NumberEqual = "==";
    Less = "<"; LessEqual = "<="; Greater = ">"; GreaterEqual = ">=";
    Compare = "compare"; Role = "role"; Not = "not"; Identity = "identity";
    BitAnd = "bit-and"; BitOr = "bit-or"; BitXor = "bit-xor"; BitNot = "bit-not"; BitTest = "bit-test";
    ShiftLeft = "bit-shift-left"; ShiftRight = "bit-shift-right" | "unsigned-bit-shift-right";
    Zero = "zero?"; Positive = "pos?"; Negative = "neg?"; Even = "even?"; Odd = "odd?";
    ToLong = "long" | "int" | "short" | "byte" | "bigint" | "biginteger";
    ToDouble = "double" | "float"; Boolean = "boolean"; Num = "num" | "rationalize";
    Ceil = "Math/ceil"; Floor = "Math/floor"; Round = "Math/round" | "Math/rint"; Sqrt = "Math/sqrt";
    Pow = "Math/pow"; Log = "Math/log"; Log10 = "Math/log10"; Exp = "Math/exp"; Cbrt = "Math/cbrt";
    FloorDiv = "Math/floorDiv"; FloorMod = "Math/floorMod";
    JavaMax = "Math/max" | "Long/max" | "Integer/max"; JavaMin = "Math/min" | "Long/min" | "Integer/min";
    ParseLong = "Long/parseLong" | "Long/valueOf" | "Integer/parseInt" | "Integer/valueOf";
    ParseLongOrNil = "parse-long"; ParseDouble = "Double/parseDouble" | "Float/parseFloat";
    ParseBoolean = "Boolean/parseBoolean";
    ToBinary = "Long/toBinaryString" | "Integer/toBinaryString";
    ToHex = "Long/toHexString" | "Integer/toHexString";
    ToOctal = "Long/toOctalString" | "Integer/toOctalString";
    ToText = "Long/toString" | "Integer/toString" | "String/valueOf" | "Double/toString";
    BitCount = "Long/bitCount" | "Integer/bitCount";
    TrailingZeros = "Long/numberOfTrailingZeros" | "Integer/numberOfTrailingZeros";
    HighestBit = "Long/highestOneBit" | "Integer/highestOneBit";
    IsNumber = "number?"; IsInteger = "integer?" | "int?"; IsRatio = "ratio?"; IsFloat = "float?" | "double?";
    IsNaturalInt = "nat-int?"; IsPositiveInt = "pos-int?"; IsNegativeInt = "neg-int?";
    IsRational = "rational?";
    IsNil = "nil?"; IsSome = "some?"; IsTrue = "true?"; IsFalse = "false?"; IsBoolean = "boolean?";
    IsString = "string?"; IsKeyword = "keyword?"; IsSymbol = "symbol?"; IsChar = "char?"; IsFn = "fn?" | "ifn?";
    IsList = "list?" | "seq?"; IsVector = "vector?"; IsSet = "set?"; IsMap = "map?"; IsColl = "coll?";
    IsSequential = "sequential?"; IsEmpty = "empty?"; NotEmpty = "not-empty";
    Range = "range"; List = "list"; Vector = "vector"; Vec = "vec" | "mapv-identity"; Set = "set";
    HashSet = "hash-set" | "sorted-set"; HashMap = "hash-map" | "sorted-map" | "array-map";
    EmptySet = "empty-set"; Seq = "seq"; Count = "count"; First = "first"; Second = "second"; Last = "last";
    Rest = "rest"; Next = "next"; Butlast = "butlast"; Nth = "nth"; Peek = "peek"; Pop = "pop"; Ffirst = "ffirst";
    Cons = "cons"; Conj = "conj"; Disj = "disj"; Into = "into"; Concat = "concat"; Reverse = "reverse" | "rseq";
    Contains = "contains?"; Get = "get"; GetIn = "get-in"; Assoc = "assoc"; Dissoc = "dissoc"; Merge = "merge";
    Update = "update"; Keys = "keys"; Vals = "vals"; Key = "key"; ValOf = "val"; Zipmap = "zipmap"; SelectKeys = "select-keys";
    Empty = "empty"; Distinct = "distinct" | "dedupe"; IsDistinct = "distinct?"; Sort = "sort"; SortBy = "sort-by";
    Union = "union"; Difference = "difference"; Intersection = "intersection"; Subset = "subset?"; Superset = "superset?";
    PowerSet = "power-set"; Subvec = "subvec"; Flatten = "flatten"; Frequencies = "frequencies"; GroupBy = "group-by";
    Map = "map" | "pmap"; Mapv = "mapv"; Filter = "filter" | "select"; Filterv = "filterv"; Remove = "remove";
    Keep = "keep"; Reduce = "reduce"; Reductions = "reductions"; Apply = "apply"; Partial = "partial"; Comp = "comp";
    Constantly = "constantly"; Complement = "complement"; Every = "every?"; Some = "some"; NotAny = "not-any?";
    NotEvery = "not-every?"; Mapcat = "mapcat"; MapIndexed = "map-indexed"; KeepIndexed = "keep-indexed";
    Take = "take"; Drop = "drop"; TakeWhile = "take-while"; DropWhile = "drop-while"; TakeLast = "take-last";
    DropLast = "drop-last"; TakeNth = "take-nth"; Partition = "partition"; PartitionAll = "partition-all";
    Interleave = "interleave"; Interpose = "interpose"; Repeat = "repeat"; Repeatedly = "repeatedly"; Iterate = "iterate"; Cycle = "cycle";
    SplitAt = "split-at"; SplitWith = "split-with"; MaxKey = "max-key"; MinKey = "min-key"; Doall = "doall" | "sequence" | "lazy-cat";
    Str = "str"; PrStr = "pr-str"; Format = "format"; Subs = "subs"; Join = "join"; NameOf = "name"; Keyword = "keyword"; Symbol = "symbol";
    UpperCase = "upper-case"; LowerCase = "lower-case"; Trim = "trim"; Split = "split"; Replace = "replace"; ReplaceFirst = "replace-first";
    StartsWith = "starts-with?"; EndsWith = "ends-with?"; Includes = "includes?"; IsBlank = "blank?"; Char = "char";
    ReMatches = "re-matches"; ReFind = "re-find"; Type = "type" | "class"; ExInfo = "ex-info"; ExMessage = "ex-message" | "ex-data";
}

impl Interp<'_> {
    /// Calls a function of Clojure.
    pub(crate) fn call_builtin(
        &mut self,
        builtin: Builtin,
        arguments: Vec<Value>,
    ) -> Result<Value> {
        self.spend_on(&arguments)?;
        let value = match numbers::call(builtin, &arguments) {
            Some(value) => return value,
            None => strings::call(builtin, &arguments)
                .or_else(|| collections::call(self, builtin, &arguments))
                .unwrap_or_else(|| sequences::call(self, builtin, arguments))?,
        };
        value.extent().check()?;
        self.spend(value.extent().size() >> 6)?;
        Ok(value)
    }
}
