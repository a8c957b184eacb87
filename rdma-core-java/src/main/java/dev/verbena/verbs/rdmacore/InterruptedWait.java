// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/**
 * Tells a thread in a native wait that it was interrupted, as the JDK tells one in a selector: by
 * {@link #begin} and {@link #end} around the wait. As a selector it has no channels.
 */
final class InterruptedWait extends AbstractSelector {
  private final Runnable nudge;

  InterruptedWait(Runnable nudge) {
    super(SelectorProvider.provider());
    this.nudge = nudge;
  }

  /** From here to {@link #leave} an interrupt calls the nudge, also one that came before. */
  void enter() {
    begin();
  }

  void leave() {
    end();
  }

  @Override
  public Selector wakeup() {
    nudge.run();
    return this;
  }

  @Override
  protected void implCloseSelector() {
    // Nothing of its own to close.
  }

  @Override
  protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object attachment) {
    throw new UnsupportedOperationException("no channels");
  }

  @Override
  public Set<SelectionKey> keys() {
    return Set.of();
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    return Set.of();
  }

  @Override
  public int selectNow() throws IOException {
    throw new UnsupportedOperationException("no channels");
  }

  @Override
  public int select(long timeout) throws IOException {
    throw new UnsupportedOperationException("no channels");
  }

  @Override
  public int select() throws IOException {
    throw new UnsupportedOperationException("no channels");
  }
}
