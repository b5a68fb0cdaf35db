import type { Host } from './host.ts';
import type { Pacing } from './pacing.ts';

/** One probe under way at one IP address. It asks before each packet, and notes how it was received. */
export class AdmittedProbe {
  /** Packets sent. */
  packets = 0;
  /** Those of them that were never answered. */
  lost = 0;
  /** Those of the lost that an ICMP message, or a refused connection, rejected. */
  rejected = 0;
  /** The server demanded a challenge. */
  challenged = false;
  readonly host: Host;
  /** Those it may ask. */
  readonly ports: readonly number[];
  readonly since: number;
  readonly #pacing: Pacing;

  constructor(host: Host, ports: readonly number[], since: number, pacing: Pacing) {
    this.host = host;
    this.ports = ports;
    this.since = since;
    this.#pacing = pacing;
  }

  /** Whether a packet may go now; then it has to. */
  reservePacket(now = this.#pacing.now()): boolean {
    const may = this.#pacing.reservePacket(this.host, now);
    if (may) this.packets++;
    return may;
  }

  /** Calls once a packet may go, and then has to; with false when there is no room for too long. */
  whenRoom(go: (hasRoom: boolean) => void): void {
    this.#pacing.queuePacket(this.host, hasRoom => {
      if (hasRoom) this.packets++;
      go(hasRoom);
    });
  }

  /** The two in one, for those that send little. */
  waitForPacket(): Promise<boolean> {
    return new Promise(resolve => (this.reservePacket() ? resolve(true) : this.whenRoom(resolve)));
  }
}
