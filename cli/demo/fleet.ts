import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import type { Now } from '../../runtime/clock.ts';
import { respondA2s } from './a2s-responder.ts';
import { respondBedrock } from './bedrock-responder.ts';
import { type FakeState, setPlayers } from './fake-server.ts';
import type { FleetProtocol, ServerPlan } from './fleet-plan.ts';
import { MinecraftResponder } from './minecraft-responder.ts';
import { respondQuake3 } from './quake3-responder.ts';

/** A running fake game server. */
export interface FleetServer {
  readonly gameId: string;
  readonly protocol: FleetProtocol;
  readonly mood: ServerPlan['mood'];
  /** The address of the fake game server, `127.x.y.z:port`. */
  readonly address: string;
  /** The status that the server reports. After a change of this object, the next reply contains the new status. */
  readonly state: FakeState;
  /**
   * Adds or removes players until the server has `count` players. `count` is limited to the range from 0 to the maximum
   * number of players.
   */
  setPlayers(count: number): void;
  /** Stops the fake game server and frees its UDP or TCP port. */
  stop(): Promise<void>;
}

/** A running fleet of fake game servers. */
export interface Fleet {
  readonly servers: readonly FleetServer[];
  /** Makes one step of a random walk on each server: a player joins, a player leaves, or nothing changes. */
  wander(): void;
  stop(): Promise<void>;
}

/** Options of a demo fleet: its servers, the clock and the source of random numbers. */
export interface FleetOptions {
  plan: readonly ServerPlan[];
  now: Now;
  /** Returns a random number from 0 (included) to 1 (excluded). */
  random: () => number;
}

/** An open socket of a fake server: its port, and the function that closes it. */
interface Listening {
  port: number;
  close(): Promise<void>;
}

type Listen = (host: string, port: number) => Promise<Listening>;

const MAX_CONNECTIONS = 64;
const CONNECTION_MS = 5_000;

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function listenUdp(respond: (request: Buffer, peer: string, port: number) => Buffer | undefined): Listen {
  return (host, wanted) =>
    new Promise((resolve, reject) => {
      const socket = createSocket('udp4');
      socket.once('error', error => {
        socket.close();
        reject(error);
      });
      socket.bind(wanted, host, () => {
        const { port } = socket.address();
        socket.on('message', (request, peer) => {
          const reply = respond(request, `${peer.address}:${peer.port}`, port);
          if (reply) socket.send(reply, peer.port, peer.address, () => {});
        });
        resolve({ port, close: () => new Promise(done => socket.close(() => done())) });
      });
    });
}

function serveStatus(socket: Socket, state: FakeState): void {
  const responder = new MinecraftResponder(state);
  socket.setTimeout(CONNECTION_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', bytes => {
    try {
      socket.write(responder.receive(bytes));
    } catch {
      // The client sent something other than a status query. The connection is closed, because a real game server does
      // the same.
      socket.destroy();
    }
  });
}

function listenTcp(state: FakeState): Listen {
  return (host, wanted) =>
    new Promise((resolve, reject) => {
      const open = new Set<Socket>();
      const server = createServer(socket => {
        open.add(socket);
        socket.on('close', () => open.delete(socket));
        serveStatus(socket, state);
      });
      server.maxConnections = MAX_CONNECTIONS;
      server.once('error', reject);
      server.listen(wanted, host, () => {
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : wanted;
        const close = () =>
          new Promise<void>(done => {
            server.close(() => done());
            for (const socket of open) socket.destroy();
          });
        resolve({ port, close });
      });
    });
}

/**
 * The times in which a fake server with the mood `failing` does not answer: the last `silentMs` ms of each period of
 * `periodMs` ms.
 */
const FAILURE = { periodMs: 300_000, silentMs: 90_000 };

/**
 * Returns true if a fake server with the mood `failing` is in a silent period. `age`: time since the start of the
 * server, ms.
 */
function isSilent(age: number): boolean {
  return age % FAILURE.periodMs >= FAILURE.periodMs - FAILURE.silentMs;
}

function speak(plan: ServerPlan, state: FakeState, now: Now): Listen {
  const secret = randomBytes(8);
  if (plan.protocol === 'minecraft') return listenTcp(state);
  if (plan.protocol === 'quake3') return listenUdp(request => respondQuake3(state, request));
  if (plan.protocol === 'bedrock') {
    const guid = secret.readBigUInt64BE();
    return listenUdp((request, _peer, port) => respondBedrock(state, request, guid, port));
  }
  const startedAt = now();
  return listenUdp((request, peer) => {
    if (plan.mood === 'failing' && isSilent(now() - startedAt)) return undefined;
    const challenge = createHash('sha256').update(secret).update(peer).digest().readUInt32LE() >>> 1;
    return respondA2s(state, request, challenge, now());
  });
}

/**
 * Listens on the loopback address of one server, at its preferred port. If this port is in use, listens on any free
 * port. If the machine does not have this loopback address, listens on 127.0.0.1 instead.
 */
async function listenSomewhere(
  listen: Listen,
  host: string,
  port: number,
): Promise<Listening & { host: string }> {
  try {
    return { host, ...(await listen(host, port)) };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EADDRINUSE' && port !== 0) return listenSomewhere(listen, host, 0);
    if (code === 'EADDRNOTAVAIL' && host !== '127.0.0.1') return listenSomewhere(listen, '127.0.0.1', port);
    throw error;
  }
}

async function startServer(plan: ServerPlan, index: number, now: Now): Promise<FleetServer> {
  const { name, map, version, maxplayers } = plan;
  const state: FakeState = { name, map, version, maxplayers, password: false, players: [] };
  setPlayers(state, plan.players, now());
  // Each server gets its own loopback address. With a shared address, the rate limits for this address would delay the
  // probes of all servers.
  const { host, port, close } = await listenSomewhere(
    speak(plan, state, now),
    `127.0.${index + 1}.1`,
    plan.port,
  );
  return {
    gameId: plan.gameId,
    protocol: plan.protocol,
    mood: plan.mood,
    address: `${host}:${port}`,
    state,
    setPlayers: count => setPlayers(state, count, now()),
    stop: close,
  };
}

/**
 * Starts fake game servers on loopback addresses. If a server cannot listen, stops all servers and rejects with the
 * error of this server.
 */
export async function startFleet({ plan, now, random }: FleetOptions): Promise<Fleet> {
  const started = await Promise.allSettled(plan.map((one, index) => startServer(one, index, now)));
  const running = new Set(started.flatMap(result => (result.status === 'fulfilled' ? [result.value] : [])));
  const stop = async (): Promise<void> => {
    await Promise.all([...running].map(server => server.stop()));
    running.clear();
  };
  const servers = [...running].map(server => ({
    ...server,
    stop: async () => {
      if (running.delete(server)) await server.stop();
    },
  }));
  for (const result of started) {
    if (result.status === 'rejected') {
      await stop();
      throw result.reason;
    }
  }
  const wander = (): void => {
    for (const { state, mood, setPlayers: set } of running)
      if (mood !== 'full') set(state.players.length + Math.floor(random() * 3) - 1);
  };
  return { servers, wander, stop };
}
