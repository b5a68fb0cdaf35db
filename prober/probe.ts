import { randomBytes } from 'node:crypto';
import { GamedigPool } from './gamedig/gamedig-pool.ts';
import { type NormalisedPayload, normalise } from './normalise.ts';
import type { ColourCodes } from './protocols/protocol.ts';
import { protocols } from './protocols/registry.ts';
import type { Answer, Endpoint } from './transport/answer.ts';
import { TcpDialer } from './transport/tcp-dialer.ts';
import { TimerWheel } from './transport/timer-wheel.ts';
import { UdpPool } from './transport/udp-pool.ts';

const UDP_MS = 2000;
const TCP_MS = 5000;
const GAMEDIG_MS = 5000;
/** The whole of a probe, its retry included. */
const PROBE_MS = 13_000;
/** Less than this left is not worth a question. */
const LEAST_MS = 500;
const RETRY_AFTER_MS = 1000;
const RETRY_JITTER_MS = 500;
const MAX_STREAM_BYTES = 256 * 1024 + 16;

/** A server to ask, its name resolved and its address vetted by the caller. */
export interface ProbeTarget {
  /** An IPv4 or IPv6 literal, without brackets: nothing here resolves names. */
  address: string;
  /** The server as it was named: told to Minecraft servers, and where players connect. */
  host: string;
  /** Asked in this order until one answers. */
  ports: number[];
  /** The port players join at, unless the server names another. */
  joinPort: number;
  /** As the catalog names it. */
  protocol: string;
  /** What gamedig calls the game; used where the protocol has no module here. */
  gamedigId: string;
  /** The last probe failed: ask from another socket than usual. */
  confirm: boolean;
}

/** How a probe ended; the outcomes are those of `ProbeOutcome` that asking can lead to. */
export type ProbeResult =
  | { outcome: 'PROBE_OUTCOME_ONLINE'; payload: NormalisedPayload; queryPort: number }
  | { outcome: ProbeFailure; detail: string };

export type ProbeFailure =
  | 'PROBE_OUTCOME_NO_REPLY'
  | 'PROBE_OUTCOME_MALFORMED'
  | 'PROBE_OUTCOME_REFUSED'
  | 'PROBE_OUTCOME_PROBER_FAULT';

export interface ProbesOptions {
  /** UDP sockets of each family. */
  udpSockets?: number;
  /** Receive buffer of each UDP socket, bytes. */
  receiveBuffer?: number;
  /** TCP connections open at once. */
  tcpConnections?: number;
  /** gamedig worker threads. */
  gamedigWorkers?: number;
  /** Told what an operator should know. */
  warn: (message: string) => void;
  /** From 0 up to 1, for the jitter of retries. */
  random?: () => number;
  /** Time, monotonic. One handed in is driven and stopped by its owner. */
  wheel?: TimerWheel;
}

/** Asks one port once, or once more after silence. */
type Asking = (timeoutMs: number) => Promise<Answer>;

interface Way {
  colours: ColourCodes;
  attemptMs: number;
  /** Begins a conversation with one port. */
  begin: (endpoint: Endpoint) => Asking;
}

const FAILURES = {
  silent: 'PROBE_OUTCOME_NO_REPLY',
  malformed: 'PROBE_OUTCOME_MALFORMED',
  refused: 'PROBE_OUTCOME_REFUSED',
  fault: 'PROBE_OUTCOME_PROBER_FAULT',
} as const;
/** Of several ports' failures the one that says most; a port we could not ask leaves all of it open. */
const RANK = ['silent', 'refused', 'malformed', 'fault'] as const;

/** Asks game servers, each by the protocol its game speaks. */
export class Probes {
  readonly #wheel: TimerWheel;
  readonly #stopWheel: () => void;
  readonly #random: () => number;
  readonly #udp: UdpPool;
  readonly #tcp: TcpDialer;
  readonly #gamedig: GamedigPool;
  /** Ends the pauses before retries. */
  readonly #pauses = new Set<() => void>();

  private constructor(udp: UdpPool, wheel: TimerWheel, options: ProbesOptions) {
    this.#wheel = wheel;
    this.#stopWheel = options.wheel ? () => {} : () => wheel.stop();
    this.#random = options.random ?? Math.random;
    this.#udp = udp;
    this.#tcp = new TcpDialer({
      connections: options.tcpConnections ?? 128,
      maxBytes: MAX_STREAM_BYTES,
      wheel,
    });
    this.#gamedig = new GamedigPool({ wheel, workers: options.gamedigWorkers ?? 1, warn: options.warn });
  }

  /** Opens the sockets. Rejects when there is no UDP socket to be had. */
  static async open(options: ProbesOptions): Promise<Probes> {
    const wheel = options.wheel ?? new TimerWheel();
    const udp = await UdpPool.open({
      sockets: options.udpSockets ?? 4,
      receiveBuffer: options.receiveBuffer ?? 4 * 1024 * 1024,
      wheel,
      warn: options.warn,
    });
    if (!options.wheel) wheel.start();
    return new Probes(udp, wheel, options);
  }

  /** Datagrams nobody waited for. */
  get strayDatagrams(): number {
    return this.#udp.strayDatagrams;
  }

  /** Takes at most about 13 seconds. Never rejects. */
  async probe(target: ProbeTarget): Promise<ProbeResult> {
    try {
      return await this.#probe(target);
    } catch (error) {
      // A defect here must not pass for a server that is down.
      return { outcome: FAILURES.fault, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Ends every probe as a fault of ours, then frees sockets and threads. */
  async close(): Promise<void> {
    this.#tcp.close();
    await Promise.all([this.#udp.close(), this.#gamedig.close()]);
    for (const end of this.#pauses) end();
    this.#stopWheel();
  }

  async #probe(target: ProbeTarget): Promise<ProbeResult> {
    const way = this.#wayTo(target);
    const endsAt = this.#wheel.now() + PROBE_MS;
    const timeLeft = () => Math.min(way.attemptMs, endsAt - this.#wheel.now());
    let worst: Exclude<Answer, { kind: 'online' }> | undefined;
    for (const [index, port] of target.ports.entries()) {
      if (timeLeft() < LEAST_MS) break;
      const ask = way.begin({ address: target.address, port });
      let answer = await ask(timeLeft());
      if (answer.kind === 'silent' && index === target.ports.length - 1) {
        await this.#pause(RETRY_AFTER_MS + this.#random() * RETRY_JITTER_MS);
        if (timeLeft() >= LEAST_MS) answer = await ask(timeLeft());
      }
      if (answer.kind === 'online') {
        const { host, joinPort } = target;
        const payload = normalise(answer.status, { host, joinPort, colours: way.colours, ping: answer.ping });
        return { outcome: 'PROBE_OUTCOME_ONLINE', payload, queryPort: port };
      }
      if (!worst || RANK.indexOf(answer.kind) > RANK.indexOf(worst.kind)) worst = answer;
    }
    if (!worst) return { outcome: FAILURES.fault, detail: 'no port to ask' };
    return { outcome: FAILURES[worst.kind], detail: worst.detail };
  }

  #wayTo(target: ProbeTarget): Way {
    const { host, confirm, gamedigId } = target;
    const protocol = protocols.get(target.protocol);
    if (!protocol) {
      const begin = (endpoint: Endpoint) => (ms: number) => this.#gamedig.ask(gamedigId, endpoint, ms);
      return { colours: 'none', attemptMs: GAMEDIG_MS, begin };
    }
    const { colours } = protocol;
    const nonce = randomBytes(8).readBigUInt64BE();
    if (protocol.transport === 'tcp') {
      const begin = (endpoint: Endpoint) => (ms: number) =>
        this.#tcp.ask(endpoint, protocol.open({ host, port: endpoint.port, nonce }), ms);
      return { colours, attemptMs: TCP_MS, begin };
    }
    // One exchange over the retry too: it knows what it may still send, and takes up where silence fell.
    const begin = (endpoint: Endpoint) => {
      const exchange = protocol.open({ host, port: endpoint.port, nonce });
      return (ms: number) => this.#udp.ask(endpoint, exchange, ms, confirm);
    };
    return { colours, attemptMs: UDP_MS, begin };
  }

  #pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const end = () => {
        this.#pauses.delete(end);
        timer.cancel();
        resolve();
      };
      const timer = this.#wheel.after(ms, end);
      this.#pauses.add(end);
    });
  }
}
