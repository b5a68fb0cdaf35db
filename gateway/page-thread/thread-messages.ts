import type { ReasonCode } from '../../proto/reasons.ts';
import type { InternalRoute } from '../../runtime/internal-port.ts';
import type { LogFormat } from '../../runtime/log.ts';
import type { PageName } from '../page/page-routes.ts';
import type { VisitFacts } from '../page/visit.ts';
import type { CoreState } from '../upstream/core-set.ts';

/**
 * Data that the page thread gets from the main thread at its start. The page thread builds the pages and images of the
 * gateway.
 */
export interface PageSetup {
  /** Address and TLS identity for connections to the core. */
  route: InternalRoute;
  secret: string;
  /** Longest time for the core to answer a call, ms. */
  timeoutMs: number;
  /** True if callers without a token may see the tracked servers (GSQ_PAGE=on). */
  isOn: boolean;
  /** URL under which people reach the gateway (GSQ_PUBLIC_URL). */
  publicUrl: string | undefined;
  /** True if the gateway serves https. */
  isTls: boolean;
  contact: string | undefined;
  logLevel: string;
  logFormat: LogFormat;
}

/**
 * Message to the page thread: the cores to which it can send its calls. The main thread sends this message each time
 * the cores change.
 */
export interface CoresUpdate {
  cores: readonly CoreState[];
}

/** A request for a page or an image, as the main thread sends it to the worker thread that builds it. */
export interface PageRequest {
  id: number;
  name: PageName;
  facts: VisitFacts;
}

/**
 * The answer to a page or image request, as the page thread passes it to the main thread. The main thread sends it to
 * the caller.
 */
export interface BuiltReply {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer> | undefined;
  /** True if `body` is compressed with gzip. */
  isGzipped: boolean;
  /** True if gzip would not make the body smaller. */
  isCompressed: boolean;
  code: ReasonCode | undefined;
}

/**
 * A message from the page thread to the main thread. The page thread builds pages and images. `busy`: the answer that
 * browsers get while too many requests for pages wait. `busyMs`: how long the thread has worked since its last reply,
 * ms.
 */
export type PageMessage =
  | { kind: 'ready'; busy: BuiltReply }
  | { kind: 'built'; id: number; reply: BuiltReply; busyMs: number }
  /**
   * The page thread refuses the request `id` because it has too much work: too many images wait to be drawn, or too
   * many calls to the core are in progress.
   */
  | { kind: 'overloaded'; id: number }
  /**
   * Asks the main thread to check whether a core still responds, because the core has not replied for a while.
   * `address`: address of the internal port of this core.
   */
  | { kind: 'suspect'; address: string }
  /** Reports that a bug in gsq prevented the reply. `cause`: the stack of the error. */
  | { kind: 'failed'; id: number; cause: string };
