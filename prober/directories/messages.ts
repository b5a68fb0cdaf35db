import type { TargetRules } from '../../net/targets.ts';
import type { Posted, ThreadMessage } from '../threads/query-thread.ts';
import type { DirectoryQuestion } from './directory.ts';
import type { DirectoryNote } from './directory-client.ts';
import type { Pause } from './directory-host.ts';

/** Data that the directory thread receives when it starts. */
export interface DirectoryThreadData {
  userAgent: string;
  optIn: readonly string[];
  /** DNS servers that resolve the host names of directories, in the format of `Resolver`. */
  dnsServers: readonly string[];
  /**
   * Active pauses of an earlier directory thread. The new thread sends no requests to the paused hosts until the pauses
   * end.
   */
  pauses: readonly Pause[];
  /**
   * Test servers that replace directories: origin of the test server, keyed by the origin of the directory. Only tests
   * set this property.
   */
  origins?: Readonly<Record<string, string>>;
  /** Additional TLS certificates to trust. Only tests set this property. */
  ca?: string;
}

/**
 * Message that sets the IP addresses to which the directory thread is allowed to connect. Before the first such
 * message, only public addresses are allowed.
 */
export interface DirectoryTargets {
  kind: 'targets';
  rules: TargetRules;
}

/** Message to the directory thread that requests a look-up. */
export type PostedDirectoryQuestion = Posted<DirectoryQuestion>;
/** Message from the directory thread to the main thread. */
export type DirectoryMessage = ThreadMessage<DirectoryNote>;
