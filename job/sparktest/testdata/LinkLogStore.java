package ajlo;

import io.delta.storage.HadoopFileSystemLogStore;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;

/**
 * Commits to tables on a local disk by link(2), which fails where the name is taken. Delta's own
 * store for local disks looks first and then renames, so that two processes may both win.
 */
public class LinkLogStore extends HadoopFileSystemLogStore {
  public LinkLogStore(Configuration conf) {
    super(conf);
  }

  @Override
  public void write(org.apache.hadoop.fs.Path path, Iterator<String> actions, Boolean overwrite, Configuration conf)
      throws IOException {
    if (overwrite) {
      writeWithRename(path, actions, true, conf);
      return;
    }
    Path target = Path.of(path.toUri().getPath());
    Path part = target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
    try {
      try (BufferedWriter out = Files.newBufferedWriter(part)) {
        while (actions.hasNext()) {
          out.write(actions.next());
          out.write('\n');
        }
      }
      Files.createLink(target, part); // FileAlreadyExistsException is what Delta takes for a lost race
    } finally {
      Files.deleteIfExists(part);
    }
  }

  @Override
  public Boolean isPartialWriteVisible(org.apache.hadoop.fs.Path path, Configuration conf) {
    return false;
  }
}
