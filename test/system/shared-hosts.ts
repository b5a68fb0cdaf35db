/**
 * A process that simulates hosts with several game servers each. It runs in its own network namespace, behind a virtual
 * cable that loses packets. The servers stop, start and freeze on command.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { respondA2s } from '../../cli/demo/a2s-responder.ts';
import { type FakeState, setPlayers } from '../../cli/demo/fake-server.ts';
import { beFarSide } from './far-network.ts';
import { type Arrival, PacketTap } from './packet-tap.ts';
import { randomNumbers } from './random-numbers.ts';
import { nameOf, type SharedHostsOrder, type SharedHostsWish } from './shared-hosts-orders.ts';

const CHALLENGE = 0x44332211;
const JOINED_AT = Date.UTC(2026, 0, 1);
const HEAR_MS = 100;

/** A fake game server. Its name contains its address and the number of times that it has started. */
class Server {
  readonly #address: string;
  readonly #port: number;
  readonly #isLost: () => boolean;
  readonly #state: FakeState;
  #socket: Socket | undefined;
  #isSilent = false;
  #starts = 0;

  constructor(address: string, port: number, isLost: () => boolean) {
    this.#address = address;
    this.#port = port;
    this.#isLost = isLost;
    this.#state = {
      name: '',
      map: 'de_dust2',
      version: '1.0',
      maxplayers: 16,
      password: false,
      players: [],
    };
    setPlayers(this.#state, port % 3, JOINED_AT);
  }

  async start(): Promise<void> {
    this.#state.name = nameOf(`${this.#address}:${this.#port}`, ++this.#starts);
    this.#isSilent = false;
    if (this.#socket) return;
    const socket = createSocket('udp4');
    this.#socket = socket;
    socket.on('message', (datagram, from) => {
      if (this.#isSilent || this.#isLost()) return;
      const reply = respondA2s(this.#state, datagram, CHALLENGE, JOINED_AT);
      if (reply && !this.#isLost()) socket.send(reply, from.port, from.address);
    });
    socket.bind(this.#port, this.#address);
    await once(socket, 'listening');
  }

  silence(): void {
    this.#isSilent = true;
  }

  async end(): Promise<void> {
    // After the socket is closed, the kernel answers packets to its port with ICMP "port unreachable".
    this.#socket?.close();
    this.#socket = undefined;
  }
}

const wish = await beFarSide<SharedHostsWish>();
const random = randomNumbers(6);
const isLost = (): boolean => random(100) < wish.loss;
const servers = new Map<string, Server>();
for (const host of wish.hosts) {
  for (let i = 0; i < host.servers; i++) {
    const port = wish.firstPort + i;
    const server = new Server(host.address, port, isLost);
    servers.set(`${host.address}:${port}`, server);
    await server.start();
  }
}
const tap = new PacketTap();
let arrivals: Arrival[] = [];
const hear = (): void => {
  arrivals = arrivals.concat(tap.arrivals());
};
// Reads the received packets at short intervals as soon as the fake servers run. The kernel records arrival times only
// after the first read, so this process must not wait for the first command of the test.
setInterval(hear, HEAR_MS);

async function obey(order: SharedHostsOrder): Promise<unknown> {
  if (order.order === 'arrivals') {
    hear();
    return arrivals;
  }
  for (const port of order.ports) await servers.get(`${order.address}:${port}`)?.[order.order]();
  return 'done';
}
process.on('message', (order: SharedHostsOrder) => {
  obey(order).then(answer => process.send?.(answer));
});
process.send?.('ready');
