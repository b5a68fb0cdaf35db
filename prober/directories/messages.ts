import type { TargetRules } from '../../net/targets.ts';
import type { Posted, ThreadMessage } from '../threads/query-thread.ts';
import type { DirectoryQuestion } from './directory.ts';
import type { DirectoryNote } from './directory-client.ts';
import type { Pause } from './directory-host.ts';

/** Data that the directory thread receives when it starts. */
export interface DirectoryThreadData {
  userAgent: string;
  optIn: readonly string[];
  /** DNS servers, in the format of `Resolver`. */
  dnsServers: readonly string[];
  /** Pauses that an earlier directory thread started and that are still active. */
  pauses: readonly Pause[];
  /** Replacements for the origins of directories, keyed by the real origin; only tests set them. */
  origins?: Readonly<Record<string, string>>;
  /** Additional TLS certificates to trust; only tests set them. */
  ca?: string;
}

/**
 * Message that sets the IP addresses that directories are allowed to have. Before the first such message only public
 * addresses are allowed.
 */
export interface DirectoryTargets {
  kind: 'targets';
  rules: TargetRules;
}

/** Message to the directory thread that requests a look-up. */
export type PostedDirectoryQuestion = Posted<DirectoryQuestion>;
/** Message from the directory thread to the main thread. */
export type DirectoryMessage = ThreadMessage<DirectoryNote>;
