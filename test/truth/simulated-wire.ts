import type { AddressKey } from '../../net/address-key.ts';
import type {
  DatagramEndpoint,
  DatagramEvents,
  DatagramSocket,
  DatagramSocketOptions,
} from '../../prober/transport/datagram-socket.ts';
import type { Random } from './random.ts';
import { FIRST_PORT, type SimulatedHost, type SimulatedServer } from './simulated-host.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Maximum random change of a simulated round trip time, as a share of the usual round trip time of the host. */
const JITTER = 0.1;

const PORT_UNREACHABLE = Object.assign(new Error('port unreachable'), { code: 'ECONNREFUSED' });
const HOST_UNREACHABLE = Object.assign(new Error('host unreachable'), { code: 'EHOSTUNREACH' });

/**
 * A simulated network between a prober and game servers. Packets are lost at random, independently in each direction.
 */
export class SimulatedWire {
  /** True during a simulated outage of the prober's own network. */
  isOut = false;
  packets = 0;
  readonly #clock: VirtualClock;
  readonly #random: Random;
  /** Share of the packets that the simulated network loses in each direction. */
  readonly #loss: number;
  readonly #hosts = new Map<AddressKey, SimulatedHost>();

  constructor(clock: VirtualClock, random: Random, loss: number) {
    this.#clock = clock;
    this.#random = random;
    this.#loss = loss;
  }

  add(host: SimulatedHost): void {
    this.#hosts.set(host.key, host);
  }

  serverAt(key: AddressKey, port: number): SimulatedServer | undefined {
    return this.#hosts.get(key)?.servers[port - FIRST_PORT];
  }

  /** Opens a simulated UDP socket. The prober gets this function through the option `ProbesOptions.bind`. */
  readonly bind = async ({ receiveBuffer, events }: DatagramSocketOptions): Promise<DatagramSocket> => ({
    receiveBuffer: 2 * receiveBuffer,
    send: (packet, endpoint) => this.#send(packet, endpoint, events),
    close: async () => {},
  });

  #send(packet: Buffer, endpoint: DatagramEndpoint, events: DatagramEvents): void {
    const server = this.serverAt(endpoint.key, endpoint.port);
    if (!server)
      throw new Error(`a packet to ${endpoint.address}:${endpoint.port}, where nothing was tracked`);
    const { now } = this.#clock;
    const { host } = server;
    this.packets++;
    host.packets++;
    host.rate.note(now);
    host.network.rate.note(now);
    server.silentSince ??= now;
    if (this.isOut || this.#isLost() || now < host.deafUntil) return;
    if (host.rejects > 0 && this.#random.unit() < host.rejects) {
      this.#deliver(host, () => events.rejected(endpoint, HOST_UNREACHABLE));
      return;
    }
    if (server.mode === 'ended' && host.refuses)
      this.#deliver(host, () => events.rejected(endpoint, PORT_UNREACHABLE));
    const reply = server.reply(packet, now);
    if (!reply || (host.limit && !host.limit.admitsPacket(now))) return;
    this.#deliver(host, () => {
      if (reply.isStatus) server.silentSince = undefined;
      events.received(reply.bytes, endpoint.key, endpoint.port);
    });
  }

  /**
   * Delivers the reply to a packet in the simulated network. The reply arrives one round trip time after the packet was
   * sent, unless the reply is lost.
   */
  #deliver(host: SimulatedHost, arrive: () => void): void {
    if (this.#isLost()) return;
    const ms = host.rttMs * this.#random.between(1 - JITTER, 1 + JITTER);
    this.#clock.after(ms, () => {
      if (!this.isOut && this.#clock.now >= host.deafUntil) arrive();
    });
  }

  #isLost(): boolean {
    return this.#loss > 0 && this.#random.unit() < this.#loss;
  }
}
