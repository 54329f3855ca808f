import edu.mit.csail.sdg.alloy4.A4Reporter;
import edu.mit.csail.sdg.ast.Command;
import edu.mit.csail.sdg.ast.Module;
import edu.mit.csail.sdg.parser.CompUtil;
import edu.mit.csail.sdg.translator.A4Options;
import edu.mit.csail.sdg.translator.A4Solution;
import edu.mit.csail.sdg.translator.TranslateAlloyToKodkod;
import java.io.PrintStream;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Prints, for each command of each file, how long its first trace is and how many instances there are. */
public class Peer {
    public static void main(String[] words) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        int most = Integer.parseInt(words[0]);
        boolean avoidsOverflow = words[1].equals("avoid");
        for (int at = 2; at < words.length; at++) {
            Module module = CompUtil.parseEverything_fromFile(A4Reporter.NOP, null, words[at]);
            for (Command command : module.getAllCommands()) {
                A4Options options = new A4Options();
                options.skolemDepth = 0;
                options.noOverflow = avoidsOverflow;
                if (most > 0) options.symmetry = 0;
                A4Solution found = TranslateAlloyToKodkod.execute_command(
                    A4Reporter.NOP, module.getAllReachableSigs(), command, options);
                int length = found.satisfiable() ? found.getTraceLength() : 0;
                Set<Object> seen = new HashSet<>();
                // Relations of its own, and what is looked for, may differ where nothing else does.
                for (; seen.size() < most && found.satisfiable(); found = found.next()) {
                    Map<String, Object> relations = new TreeMap<>();
                    found.debugExtractKInstance().relationTuples().forEach((relation, tuples) -> {
                        String name = relation.name();
                        if (!name.contains("_remainder") && !name.startsWith("$")) relations.put(name, tuples);
                    });
                    seen.add(relations.toString());
                }
                out.println(at - 2 + " " + command.label + " " + length + " " + seen.size());
            }
        }
    }
}
