import type { TargetRules } from '../../net/targets.ts';
import type { Posted, ThreadMessage } from '../threads/query-thread.ts';
import type { DirectoryQuestion } from './directory.ts';
import type { DirectoryNote } from './directory-client.ts';
import type { Pause } from './directory-host.ts';

/** Start data of the directory thread, which looks up servers in public server lists. */
export interface DirectoryThreadData {
  userAgent: string;
  optIn: readonly string[];
  /** DNS servers that resolve the host names of public server lists. The format is that of `Resolver`. */
  dnsServers: readonly string[];
  /**
   * Unfinished pauses of the previous directory thread. A pause stops all requests to one host of a public server list,
   * or only the requests to a part of this host, for example for one game.
   */
  pauses: readonly Pause[];
  /**
   * Test servers that are used instead of public server lists. Maps the origin of a list (scheme, host and port) to the
   * origin of a test server. Only tests set this property.
   */
  origins?: Readonly<Record<string, string>>;
  /** Additional TLS certificates that are trusted in requests to public server lists. Only tests set this property. */
  ca?: string;
}

/**
 * Message to the directory thread, which looks up servers in public server lists. The message contains the IP addresses
 * to which the thread is allowed to connect. Before the first such message, only public addresses are allowed.
 */
export interface DirectoryTargets {
  kind: 'targets';
  rules: TargetRules;
}

/** Message to the directory thread, which looks up servers in public server lists. The message requests one look-up. */
export type PostedDirectoryQuestion = Posted<DirectoryQuestion>;
/** Message to the main thread from the directory thread, which looks up servers in public server lists. */
export type DirectoryMessage = ThreadMessage<DirectoryNote>;
