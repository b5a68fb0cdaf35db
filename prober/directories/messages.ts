import type { TargetRules } from '../../net/targets.ts';
import type { Posted, ThreadMessage } from '../threads/asked-thread.ts';
import type { DirectoryQuestion } from './directory.ts';
import type { DirectoryNote } from './directory-client.ts';
import type { Pause } from './directory-host.ts';

/** What the thread of the directories is given at its start. */
export interface DirectoryThreadData {
  userAgent: string;
  optIn: readonly string[];
  /** As `Resolver` takes them. */
  dnsServers: readonly string[];
  /** Pauses of an earlier thread that still hold. */
  pauses: readonly Pause[];
  /** Other origins in place of the directories' own, and who vouches for them; for tests. */
  origins?: Readonly<Record<string, string>>;
  ca?: string;
}

/** At which addresses directories may be, from now on. Before the first it is public addresses alone. */
export interface DirectoryTargets {
  kind: 'targets';
  rules: TargetRules;
}

export type PostedDirectoryQuestion = Posted<DirectoryQuestion>;
export type DirectoryMessage = ThreadMessage<DirectoryNote>;
