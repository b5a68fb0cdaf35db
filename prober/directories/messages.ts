import type { TargetRules } from '../../net/targets.ts';
import type { Posted, ThreadMessage } from '../threads/query-thread.ts';
import type { DirectoryQuestion } from './directory.ts';
import type { DirectoryNote } from './directory-client.ts';
import type { Pause } from './directory-host.ts';

/** Data that the directory thread receives at its start. */
export interface DirectoryThreadData {
  userAgent: string;
  optIn: readonly string[];
  /** Name servers, in the form `Resolver` takes. */
  dnsServers: readonly string[];
  /** Pauses of an earlier thread that are still active. */
  pauses: readonly Pause[];
  /** Replacements for the directories' origins with the certificates to trust; only tests set it. */
  origins?: Readonly<Record<string, string>>;
  ca?: string;
}

/**
 * Sets the addresses that directories may have. Before the first such message only public addresses are
 * allowed.
 */
export interface DirectoryTargets {
  kind: 'targets';
  rules: TargetRules;
}

export type PostedDirectoryQuestion = Posted<DirectoryQuestion>;
export type DirectoryMessage = ThreadMessage<DirectoryNote>;
