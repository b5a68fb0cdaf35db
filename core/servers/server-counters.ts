import { type Label, labels, type Status, statuses } from './server-record.ts';

/** Counts the tracked servers by status, by firewall label (how a server or its firewall treats probes) and by game. */
export class ServerCounters {
  readonly status: Record<Status, number> = zeros(statuses);
  readonly label: Record<Label, number> = zeros(labels);
  readonly #games = new Map<string, number>();

  /** Number of tracked servers, keyed by game id. Games without servers are not in the map. */
  get games(): ReadonlyMap<string, number> {
    return this.#games;
  }

  /**
   * Updates the numbers of tracked servers when a server is added (`count` is 1) or removed (`count` is -1). `key`: the
   * `serverKey` of the server.
   */
  countServer(key: string, status: Status, label: Label, count: 1 | -1): void {
    this.status[status] += count;
    this.label[label] += count;
    const gameId = key.slice(0, key.indexOf(' '));
    const servers = (this.#games.get(gameId) ?? 0) + count;
    if (servers === 0) this.#games.delete(gameId);
    else this.#games.set(gameId, servers);
  }

  /**
   * Updates the numbers of tracked servers after the status or the firewall label of a server has changed. `status`,
   * `label`: the old values of this server. `after`: its new values.
   */
  countChange(status: Status, label: Label, after: { status: Status; label: Label }): void {
    this.status[status]--;
    this.status[after.status]++;
    this.label[label]--;
    this.label[after.label]++;
  }
}

function zeros<Kind extends string>(kinds: readonly Kind[]): Record<Kind, number> {
  return Object.fromEntries(kinds.map(kind => [kind, 0])) as Record<Kind, number>;
}
