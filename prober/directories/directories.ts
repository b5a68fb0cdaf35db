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

/** Longest look-up, ms: a log-in that must be repeated takes four requests of at most ten seconds. */
const ASK_MS = 45_000;
/**
 * Time without requests after a thread ended, ms: its request counts are lost, and after a minute they no
 * longer matter.
 */
const QUIET_MS = WINDOW_MS;
/**
 * Heap of the directory thread, MiB: room for two lists of the largest size at 228 MB each, one of them being
 * parsed.
 */
const MEMORY_MB = 640;

export interface DirectoriesOptions {
  wheel: TimerWheel;
  /** The User-Agent header, made by `userAgent`. */
  userAgent: string;
  /** Names of directories that are asked although their owners object. */
  optIn: readonly string[];
  /** Name servers that resolve the directories' hosts, in the form `Resolver` takes. */
  dnsServers: readonly string[];
  /** Receives a message when a directory refuses us or the thread was replaced. */
  warn: (message: string) => void;
  /** Replacements for the directories' origins with the certificates to trust; only tests set it. */
  origins?: Readonly<Record<string, string>>;
  ca?: string;
  /** The script that the thread runs. */
  script?: URL;
}

/** Counts of requests to directories. */
export interface DirectoryRequests {
  directory: string;
  host: string;
  result: RequestResult;
  count: number;
}

type PauseOfDirectory = Pause & { directory: string; until: number };

/** Asks the directories of the games in a thread of their own, which starts with the first question. */
export class Directories {
  readonly #options: DirectoriesOptions;
  readonly #requests = new Map<string, DirectoryRequests>();
  /** Pauses by host and realm, of which there are few. */
  readonly #pauses = new Map<string, PauseOfDirectory>();
  #thread: QueryThread<DirectoryQuestion, DirectoryNote> | undefined;
  #policy: TargetPolicy | undefined;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: DirectoriesOptions) {
    this.#options = options;
  }

  /** `policy` says which addresses directories may have; without one only public addresses. Never rejects. */
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

  /** Paused directories by name, with the reason and the longest remaining pause, ms. */
  pauses(): Map<string, { kind: Pause['kind']; ms: number }> {
    const now = this.#options.wheel.now();
    const longest = new Map<string, { kind: Pause['kind']; ms: number }>();
    for (const { directory, kind, until } of this.#pauses.values()) {
      const ms = until - now;
      if (ms > (longest.get(directory)?.ms ?? 0)) longest.set(directory, { kind, ms });
    }
    return longest;
  }

  /** Ends every question as a fault of ours. */
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
      warn(`the thread of the directories ${reason}; directories are asked again in a minute`);
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
      warn(`the directory ${what} is not asked for ${hours} h: ${pause.detail}`);
    }
  }
}

/** Checks names of directories that the operator opted into. Throws ConfigError on an unknown one. */
export function checkOptIn(names: readonly string[]): void {
  const known = directories.filter(({ objection }) => objection !== undefined).map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new ConfigError(
      `GSQ_DIRECTORY_OPT_IN: "${name}" is no directory that takes it; those are ${known.join(', ')}`,
    );
  }
}
