import type { Now } from '../../runtime/clock.ts';
import type { Answer } from '../answers/answer.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { Directory, DirectoryQuestion, LookUp } from './directory.ts';
import { DirectoryHost, type Pause, type RequestResult } from './directory-host.ts';
import { directories, directoryOf } from './registry.ts';

/**
 * An event of the directory client, which looks up servers in public server lists. Operators see the event in the
 * metrics or in the log.
 */
export type DirectoryNote =
  | { kind: 'request'; directory: string; host: string; result: RequestResult }
  | { kind: 'pause'; directory: string; pause: Pause };

export interface DirectoryClientOptions {
  http: HttpClient;
  /** Monotonic clock, ms. */
  now: Now;
  /**
   * Names of public server lists whose owners object to requests. The operator of gsq has allowed requests to these
   * lists nevertheless.
   */
  optIn: readonly string[];
  onNote: (note: DirectoryNote) => void;
  /**
   * Pauses that began before this client was created, for example in an earlier worker thread, and are not over yet.
   * Until the end of such a pause, the client sends no requests to the paused host, or to the paused part of the host.
   */
  pauses?: readonly Pause[];
  /**
   * Test servers that replace public server lists. Maps the origin of a list to the origin of its test server. Only
   * tests set this property.
   */
  origins?: Readonly<Record<string, string>>;
}

/**
 * Looks up game servers in the public server lists of their games. Stays within the rate limit of each list. Keeps the
 * fetched lists, the tokens and the state of the rate limits in memory.
 */
export class DirectoryClient {
  readonly #lookUps: ReadonlyMap<string, LookUp>;

  constructor(options: DirectoryClientOptions) {
    this.#lookUps = new Map(
      directories.map(directory => [directory.name, openDirectory(directory, options)] as const),
    );
  }

  /** Looks up one server in the public server list of its game. Never rejects. */
  async ask(question: DirectoryQuestion): Promise<Answer> {
    const name = directoryOf(question.protocol)?.name ?? '';
    const lookUp = this.#lookUps.get(name);
    if (!lookUp) return { kind: 'fault', detail: `no directory for ${question.protocol}` };
    try {
      const status = await lookUp(question);
      if (!tellsSomething(status)) {
        return {
          kind: 'directory-unavailable',
          detail: `${name}: an entry without a name and without counts`,
        };
      }
      return { kind: 'online', status, ping: 0 };
    } catch (error) {
      if (error instanceof UnknowableError) return error.answer;
      return { kind: 'fault', detail: error instanceof Error ? error.message : String(error) };
    }
  }
}

/**
 * True if the status of a server in a public server list contains a name or a player count. A status with neither is
 * rejected, because it shows only that the server exists.
 */
function tellsSomething({ name, players, maxplayers }: RawStatus): boolean {
  return name.trim() !== '' || players !== undefined || maxplayers !== undefined;
}

function openDirectory(directory: Directory, options: DirectoryClientOptions): LookUp {
  const { name, objection } = directory;
  const { http, now, onNote, optIn, pauses = [], origins = {} } = options;
  if (objection !== undefined && !optIn.includes(name)) {
    const detail = `${name} is not asked: ${objection}. To have it asked, set GSQ_DIRECTORY_OPT_IN=${name}`;
    return () => Promise.reject(new UnknowableError('directory-refused', detail));
  }
  const hosts = directory.origins.map(origin => {
    const host = new DirectoryHost({
      origin: origins[origin] ?? origin,
      kind: directory.kind,
      perMinute: directory.perMinute,
      http,
      now,
      onRequest: result => onNote({ kind: 'request', directory: name, host: host.name, result }),
      onPause: pause => onNote({ kind: 'pause', directory: name, pause }),
    });
    for (const pause of pauses) if (pause.host === host.name) host.pause(pause);
    return host;
  });
  return directory.open({ hosts, now });
}
