import type { TargetPolicy } from '../../net/targets.ts';
import { ConfigError } from '../../runtime/config.ts';
import type { Answer } from '../answers/answer.ts';
import { QueryThread } from '../threads/query-thread.ts';
import type { TimerWheel } from '../timing/timer-wheel.ts';
import type { DirectoryQuestion } from './directory.ts';
import type { DirectoryNote } from './directory-client.ts';
import type { Pause, RequestResult } from './directory-host.ts';
import type { DirectoryTargets, DirectoryThreadData } from './messages.ts';
import { directories } from './registry.ts';
import { WINDOW_MS } from './request-rate-limit.ts';

/**
 * Longest time for one look-up, ms. A look-up that must log in again takes four requests, and each request takes at
 * most ten seconds.
 */
const ASK_MS = 45_000;
/**
 * Pause of all requests to public server lists after the worker thread ended unexpectedly, ms. A new thread does not
 * know the recent requests. After the pause, these requests no longer count against the rate limits.
 */
const QUIET_MS = WINDOW_MS;
/**
 * Maximum heap of the worker thread that fetches server lists, MiB. While the thread parses a new list, it still holds
 * the old list. Each list takes at most 228 MB.
 */
const MEMORY_MB = 640;

export interface DirectoriesOptions {
  wheel: TimerWheel;
  /** User-Agent header of all requests to public server lists, created by the function `userAgent`. */
  userAgent: string;
  /**
   * Names of public server lists to which gsq sends requests, although their owners object to requests of gsq. The
   * operator has allowed this for each list.
   */
  optIn: readonly string[];
  /** DNS servers that resolve the host names of public server lists, in the format of `Resolver`. */
  dnsServers: readonly string[];
  /**
   * Called with a message for the operator: a public server list refuses requests of gsq, or the worker thread ended
   * unexpectedly.
   */
  warn: (message: string) => void;
  /**
   * Test servers that replace public server lists. Maps the origin of a list to the origin of its test server. Only
   * tests set this property.
   */
  origins?: Readonly<Record<string, string>>;
  /** Additional TLS certificates that are trusted in requests to public server lists. Only tests set this property. */
  ca?: string;
  /** Script of the worker thread that looks up servers. Only tests set this property; the default is `worker.ts`. */
  script?: URL;
}

/** Counter for the metrics. `count`: number of requests with this `result` to one host of a public server list. */
export interface DirectoryRequests {
  directory: string;
  host: string;
  result: RequestResult;
  count: number;
}

type PauseOfDirectory = Pause & { directory: string; until: number };

/**
 * Looks up game servers in the public server lists of their games. The look-ups run in a worker thread, which starts
 * with the first look-up.
 */
export class Directories {
  readonly #options: DirectoriesOptions;
  readonly #requests = new Map<string, DirectoryRequests>();
  /**
   * The pauses of the hosts of public server lists. During a pause, the prober sends no requests to the host, or to one
   * part (realm) of the host. For each host or part, the map contains the pause that ends last. The map needs no size
   * limit, because hosts and parts are few.
   */
  readonly #pauses = new Map<string, PauseOfDirectory>();
  #thread: QueryThread<DirectoryQuestion, DirectoryNote> | undefined;
  #policy: TargetPolicy | undefined;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: DirectoriesOptions) {
    this.#options = options;
  }

  /**
   * Looks up one server in the public server list of its game. The prober connects to an IP address of the list only if
   * `policy` allows the address. Without `policy`, only public addresses are allowed. Never rejects.
   */
  async ask(question: DirectoryQuestion, policy?: TargetPolicy): Promise<Answer> {
    if (this.#closed) return { kind: 'fault', detail: 'closed' };
    const wait = this.#quietUntil - this.#options.wheel.now();
    if (wait > 0) {
      const detail = 'the thread of the directories was replaced';
      return { kind: 'directory-unavailable', detail, retryAfterMs: wait };
    }
    this.#thread ??= this.#start();
    if (policy && policy !== this.#policy) {
      this.#policy = policy;
      this.#thread.tell({ kind: 'targets', rules: policy.rules } satisfies DirectoryTargets);
    }
    return this.#thread.ask(question, ASK_MS);
  }

  requests(): Iterable<Readonly<DirectoryRequests>> {
    return this.#requests.values();
  }

  /**
   * Returns the public server lists that currently receive no requests, keyed by name. Each value has the reason and
   * the remaining time (ms) of the longest pause.
   */
  pauses(): Map<string, { kind: Pause['kind']; ms: number }> {
    const now = this.#options.wheel.now();
    const longest = new Map<string, { kind: Pause['kind']; ms: number }>();
    for (const { directory, kind, until } of this.#pauses.values()) {
      const ms = until - now;
      if (ms > (longest.get(directory)?.ms ?? 0)) longest.set(directory, { kind, ms });
    }
    return longest;
  }

  /**
   * Stops the worker thread that looks up servers. Every open look-up then fails with a local error, which does not
   * count against the game server.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#thread?.stop('was closed');
    await this.#thread?.ended;
  }

  #start(): QueryThread<DirectoryQuestion, DirectoryNote> {
    const { wheel, warn, script, userAgent, optIn, dnsServers, origins, ca } = this.#options;
    const workerData: DirectoryThreadData = {
      userAgent,
      optIn,
      dnsServers,
      pauses: this.#pausesLeft(),
      ...(origins && { origins }),
      ...(ca !== undefined && { ca }),
    };
    const thread = new QueryThread<DirectoryQuestion, DirectoryNote>({
      script: script ?? new URL('./worker.ts', import.meta.url),
      wheel,
      workerData,
      memoryMb: MEMORY_MB,
      onNote: note => this.#note(note),
    });
    this.#policy = undefined;
    thread.ended.then(reason => {
      this.#thread = undefined;
      if (this.#closed) return;
      this.#quietUntil = wheel.now() + QUIET_MS;
      warn(`the thread of the directories ${reason}; requests to directories continue in a minute`);
    });
    return thread;
  }

  #pausesLeft(): Pause[] {
    const now = this.#options.wheel.now();
    return [...this.#pauses.values()]
      .filter(({ until }) => until > now)
      .map(({ host, realm, kind, detail, until }) => ({ host, realm, kind, detail, ms: until - now }));
  }

  #note(note: DirectoryNote): void {
    const { directory } = note;
    if (note.kind === 'request') {
      const { host, result } = note;
      const key = `${host} ${result}`;
      const known = this.#requests.get(key);
      if (known) known.count++;
      else this.#requests.set(key, { directory, host, result, count: 1 });
      return;
    }
    const { pause } = note;
    const { wheel, warn } = this.#options;
    const key = `${pause.host} ${pause.realm}`;
    const until = wheel.now() + pause.ms;
    if (until > (this.#pauses.get(key)?.until ?? 0)) this.#pauses.set(key, { ...pause, directory, until });
    if (pause.kind === 'directory-refused') {
      const hours = Math.round(pause.ms / 3_600_000);
      const what = pause.realm && pause.realm !== directory ? `${directory} (${pause.realm})` : directory;
      warn(`the directory ${what} is paused for ${hours} h: ${pause.detail}`);
    }
  }
}

/**
 * Checks the names of public server lists that gsq may use although their owners object. Throws ConfigError if a name
 * is unknown, or if the owner of the list does not object.
 */
export function checkOptIn(names: readonly string[]): void {
  const known = directories.filter(({ objection }) => objection !== undefined).map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new ConfigError(
      `GSQ_DIRECTORY_OPT_IN: "${name}" is no directory that takes it; those are ${known.join(', ')}`,
    );
  }
}
