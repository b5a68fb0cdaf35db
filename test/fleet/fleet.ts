import { type Behaviour, type FleetMember, Station, type Traffic } from './station.ts';

/** Maximum number of fake servers whose sockets are opened in parallel. */
const OPENING_AT_ONCE = 500;

/** Many fake game servers in this process. Each server has its own socket. */
export class Fleet {
  readonly #stations: Station[];

  private constructor(stations: Station[]) {
    this.#stations = stations;
  }

  /**
   * Opens the sockets of all fake servers. If the port of a fake server is 0, takes a free port, and writes its number
   * into `members`.
   */
  static async open(members: readonly FleetMember[]): Promise<Fleet> {
    const stations = members.map(member => new Station(member));
    for (let i = 0; i < stations.length; i += OPENING_AT_ONCE) {
      await Promise.all(stations.slice(i, i + OPENING_AT_ONCE).map(station => station.open()));
    }
    return new Fleet(stations);
  }

  get members(): FleetMember[] {
    return this.#stations.map(({ member }) => member);
  }

  /** Packet counts of all fake servers, in the order of `members`. */
  get traffic(): Traffic[] {
    return this.#stations.map(({ traffic }) => traffic);
  }

  /** Changes the behaviour of the fake server with this index. */
  behave(index: number, behaviour: Behaviour): void {
    this.#stations[index]?.behave(behaviour);
  }

  async close(): Promise<void> {
    await Promise.all(this.#stations.map(station => station.close()));
  }
}
