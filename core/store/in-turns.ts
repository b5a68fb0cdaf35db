import { setImmediate as turn } from 'node:timers/promises';

/**
 * Calls `visit` with each item, and waits for a returned promise. Lets the event loop handle other events after every
 * `most` items, so that a long list does not delay answers.
 */
export async function visitInTurns<Item>(
  items: Iterable<Item>,
  most: number,
  visit: (item: Item) => Promise<void> | undefined | void,
): Promise<void> {
  let count = 0;
  for (const item of items) {
    const done = visit(item);
    if (done) await done;
    if (++count % most === 0) await turn();
  }
}
