// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The layout of the call that commits a map output. Big-endian, as all of RPC.
 *
 * <pre>
 *  request
 *     0 |  version:32   |  shuffle:32   |
 *     8 |        map attempt:64         |
 *    16 | partitions:32 | checksums:32  |  checksums: 0 or as many as partitions
 *    24 | application:32|  segments:32  |  bytes of the application's id
 *    32 |  segments, in their order:    |
 *       |           grant:64            |
 *       | first part.:32| covered:32    |
 *       | offsets:64, covered + 1       |  see ManifestLayout
 *       |  checksums:64, each           |
 *       |  application id, UTF-8        |
 *
 *  response
 *     0 |  version:32   |   first:32    |  1 if this output is kept, 0 if one was there
 *     8 | partitions:32 |   zeros:32    |
 *    16 |  bytes of each partition:64   |  of the one that is kept
 * </pre>
 */
final class CommitLayout {
  /** The method's number. */
  static final int METHOD = 3;

  private static final int HEADER_BYTES = 32;
  private static final int SEGMENT_BYTES = 16;
  private static final int RESPONSE_BYTES = 16;

  /**
   * A segment.
   *
   * @param grant where it was written
   * @param first the first partition covered
   * @param offsets where each covered partition starts, and the end
   */
  record WireSegment(long grant, int first, long[] offsets) {}

  /**
   * A request.
   *
   * @param key what is committed
   * @param partitions number of partitions
   * @param segments in the order in which a partition's bytes follow each other
   * @param checksums one a partition, or none
   */
  record Request(MapOutputKey key, int partitions, List<WireSegment> segments, long[] checksums) {}

  private CommitLayout() {}

  static ByteBuffer encode(Request request) {
    byte[] name = request.key().application().getBytes(StandardCharsets.UTF_8);
    long bytes = HEADER_BYTES + name.length + (long) request.checksums().length * Long.BYTES;
    for (WireSegment segment : request.segments()) {
      bytes += SEGMENT_BYTES + (long) segment.offsets().length * Long.BYTES;
    }
    ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(bytes));
    out.putInt(GrantLayout.VERSION).putInt(request.key().shuffle());
    out.putLong(request.key().mapAttempt());
    out.putInt(request.partitions()).putInt(request.checksums().length);
    out.putInt(name.length).putInt(request.segments().size());
    for (WireSegment segment : request.segments()) {
      out.putLong(segment.grant()).putInt(segment.first()).putInt(segment.offsets().length - 1);
      putAll(out, segment.offsets());
    }
    putAll(out, request.checksums());
    return out.put(name).flip();
  }

  static Request request(ByteBuffer bytes) {
    WireReader in = new WireReader(bytes, "a commit").version(GrantLayout.VERSION);
    int shuffle = in.getInt();
    long attempt = in.getLong();
    int partitions = in.getInt();
    int checksums = in.getInt();
    int name = in.getInt();
    int count = in.count(SEGMENT_BYTES);
    List<WireSegment> segments = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long grant = in.getLong();
      int first = in.getInt();
      int covered = in.getInt();
      in.check(covered > 0 && covered < Integer.MAX_VALUE, "partitions covered", covered);
      segments.add(new WireSegment(grant, first, in.longs(covered + 1)));
    }
    long[] sums = in.longs(checksums);
    in.check(name > 0 && name <= MapOutputKey.MAX_APPLICATION_BYTES, "application bytes", name);
    String application = in.string(name);
    in.end();
    return new Request(new MapOutputKey(application, shuffle, attempt), partitions, segments, sums);
  }

  static ByteBuffer encode(MapOutputCommit commit) {
    long[] lengths = commit.partitionLengths();
    ByteBuffer out = ByteBuffer.allocate(RESPONSE_BYTES + lengths.length * Long.BYTES);
    out.putInt(GrantLayout.VERSION).putInt(commit.first() ? 1 : 0);
    out.putInt(lengths.length).putInt(0);
    putAll(out, lengths);
    return out.flip();
  }

  static MapOutputCommit response(ByteBuffer bytes) {
    WireReader in = new WireReader(bytes, "the answer to a commit").version(GrantLayout.VERSION);
    boolean first = in.getInt() != 0;
    int partitions = in.getInt();
    in.getInt();
    long[] lengths = in.longs(partitions);
    in.end();
    return new MapOutputCommit(first, lengths);
  }

  private static void putAll(ByteBuffer out, long[] words) {
    for (long word : words) {
      out.putLong(word);
    }
  }
}
