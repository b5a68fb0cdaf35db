import type { FailedFinding } from '../answers/reported-failure.ts';
import type { NormalisedPayload } from '../answers/status-fields.generated.ts';
import type { AdmittedProbe } from '../politeness/admitted-probe.ts';
import type { ProbeTarget } from './probe-target.ts';

/** Facts about the packets of one probe. They become the message `ProbeSignals` of the report. */
export interface Signals {
  packetsSent: number;
  packetsLost: number;
  packetsRejected: number;
  challenged: boolean;
  /**
   * IP address that was queried, if the caller tracks the server by host name; empty if the caller tracks an address.
   */
  address: string;
}

/** Result of a probe, with the facts about its packets. */
export type ProbeResult = { signals: Signals } & (
  | Finding
  /** The rate limits postponed the probe, and no packet was sent. The server can be probed after `retryAfterMs`. */
  | { outcome: 'PROBE_OUTCOME_HELD_BACK'; detail: string; retryAfterMs: number }
);

/** Finding of a probe that was not postponed: a status or a failure. */
type Finding =
  | { outcome: 'PROBE_OUTCOME_ONLINE'; payload: NormalisedPayload; queryPort: number }
  | FailedFinding;

/** Returns the packet counts of a probe. All counts are 0 if the probe was never admitted. */
export function signalsOf({ address, host }: ProbeTarget, admitted: AdmittedProbe | undefined): Signals {
  return {
    packetsSent: admitted?.packets ?? 0,
    packetsLost: admitted?.lost ?? 0,
    packetsRejected: admitted?.rejected ?? 0,
    challenged: admitted?.challenged ?? false,
    address: address === host ? '' : address,
  };
}
