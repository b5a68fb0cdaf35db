import type { ChannelSecurity } from '../../proto/clients.ts';
import type { Logger } from '../../runtime/log.ts';
import type { AdmissionLimits } from './call-admission.ts';
import type { PendingCall } from './pending-call.ts';

/** Options of the link to the core. */
export interface CoreLinkOptions extends AdmissionLimits {
  /** Address of the core's internal port, `host:port`. */
  address: string;
  secret: string;
  /** TLS credentials of the connection. If they are absent, the connection uses no TLS. */
  security?: ChannelSecurity | undefined;
  log: Logger;
  streams?: number;
  /**
   * Longest absence of the core during which new calls wait for it (parking), in milliseconds. After that time, new
   * calls fail immediately.
   */
  parkMs?: number;
  /** The object that owns the links to all cores. */
  siblings?: LinkSiblings | undefined;
}

/** Functions with which the link to a core gives its calls to the links of other cores. */
export interface LinkSiblings {
  /** Called when `isLost` has changed. */
  onChange(): void;
  /** Returns the link of another core that takes over a call of this link; undefined if there is none. */
  heirOf(call: PendingCall, from: CallHolder): CallHolder | undefined;
}

/** A link to a core that can give calls to other links, and take calls over from them. */
export interface CallHolder {
  adoptCall(call: PendingCall, from: CallHolder): void;
  forgetCall(call: PendingCall): void;
}
