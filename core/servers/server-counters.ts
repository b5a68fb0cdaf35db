import { type Label, labels, type Status, statuses } from './server-record.ts';

/** How many servers there are of each kind, counted as they come, change and go. */
export class ServerCounters {
  readonly status: Record<Status, number> = zeros(statuses);
  readonly label: Record<Label, number> = zeros(labels);
  readonly #games = new Map<string, number>();

  /** By game, those of which there are any. */
  get games(): ReadonlyMap<string, number> {
    return this.#games;
  }

  /** `count` is 1, or -1 where the server goes. `key`: its `serverKey`. */
  count(key: string, status: Status, label: Label, count: 1 | -1): void {
    this.status[status] += count;
    this.label[label] += count;
    const gameId = key.slice(0, key.indexOf(' '));
    const servers = (this.#games.get(gameId) ?? 0) + count;
    if (servers === 0) this.#games.delete(gameId);
    else this.#games.set(gameId, servers);
  }

  /** A server that stays is another than it was. */
  change(status: Status, label: Label, after: { status: Status; label: Label }): void {
    this.status[status]--;
    this.status[after.status]++;
    this.label[label]--;
    this.label[after.label]++;
  }
}

function zeros<Kind extends string>(kinds: readonly Kind[]): Record<Kind, number> {
  return Object.fromEntries(kinds.map(kind => [kind, 0])) as Record<Kind, number>;
}
