/*
 * Wald's sequential probability ratio test decides whether a silent server is gone, or only its packets were lost. Each
 * unanswered probe adds evidence: the less packet loss a live server is expected to have, the more. If the sum reaches
 * `THRESHOLD`, the verdict is offline.
 *
 * Source: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945).
 */

/**
 * Minimum sum of evidence for the verdict offline, in nats (units of the natural logarithm). For a server that is
 * alive, the probability that lost packets alone give such a sum is below 10^-8.
 */
export const THRESHOLD = 8 * Math.LN10;

/**
 * `shareLost` averages an expected and a measured packet loss. The expected loss counts as much as this number of
 * measured packets.
 */
const PRIOR_PACKETS = 16;
/**
 * With fewer measured packets than this, `expectedLoss` uses not only the measured packet loss, but also an assumed one
 * (see `COLD_LOSS`).
 */
const KNOWN_PACKETS = 24;
/** Packet loss that `expectedLoss` assumes before any packet was measured, as a share from 0 to 1. */
const COLD_LOSS = 0.5;
/**
 * `firmness` says how reliable the measured packet loss of a host is, as a number of packets. FIRMNESS: the result
 * before any packet was measured. MOST_FIRMNESS: the most that measured packets can add to FIRMNESS.
 */
const FIRMNESS = 32;
const MOST_FIRMNESS = 128;
/** Estimated number of packets that gsq sends in one answered probe of a server. */
const PACKETS_AN_ANSWER = 3;
/**
 * Upper limit for the packet loss of the prober's network connection in `expectedLoss`, as a share from 0 to 1. If the
 * measured loss is higher, the limit replaces it. This loss matters most for servers with few measured packets.
 */
const MOST_UPLINK_LOSS = 0.1;

/**
 * Estimates a packet loss, as a share from 0 to 1: the weighted average of the measured loss and the expected loss
 * `prior`. `prior` counts as much as PRIOR_PACKETS measured packets.
 */
export function shareLost(sent: number, lost: number, prior: number): number {
  return (lost + PRIOR_PACKETS * prior) / (sent + PRIOR_PACKETS);
}

/**
 * Measured packet loss of a server, of its host, and of the prober's own network connection. Each loss is a share from
 * 0 to 1.
 */
export interface Measured {
  /**
   * Packet loss of all servers of the host together. If few packets were measured, the value is close to the loss of
   * the host's network (see `shareLost`).
   */
  hostLoss: number;
  uplinkLoss: number;
  /** Number of packets that were sent to the host in the last minutes. Older packets count less. */
  hostPackets: number;
  /** Number of probes that this server has answered. */
  answers: number;
  /** Packet loss of this server alone. */
  ownShare: number;
}

/**
 * Returns the packet loss to expect from a live server, as a share from 0 to 1. It is the maximum of three values: the
 * loss of the host, the loss of the server itself, and an assumed loss.
 */
export function expectedLoss({ hostLoss, uplinkLoss, hostPackets, answers, ownShare }: Measured): number {
  const own = answers * PACKETS_AN_ANSWER;
  const ownLoss =
    (own * ownShare + PRIOR_PACKETS * Math.min(uplinkLoss, MOST_UPLINK_LOSS)) / (own + PRIOR_PACKETS);
  // The assumed packet loss. It is COLD_LOSS before any packet was measured. It decreases with each measured packet,
  // and has no effect from KNOWN_PACKETS packets on.
  const cold = COLD_LOSS * (1 - (own + hostPackets) / KNOWN_PACKETS);
  return Math.max(hostLoss, ownLoss, cold);
}

/**
 * Returns how reliable the measured packet loss of a host is: the weight of this loss in `evidenceOf`, as a number of
 * packets. The weight grows with the number of measured packets.
 */
export function firmness(hostPackets: number): number {
  return FIRMNESS + Math.min(MOST_FIRMNESS, hostPackets);
}

/**
 * Returns how much evidence one lost packet adds for the verdict offline, in nats (units of the natural logarithm).
 *
 * - `loss`: expected packet loss if the server is alive, a share from 0 to 1.
 * - `firm`: reliability of `loss` (result of `firmness`).
 * - `nth`: 1 for the first lost packet in a row, 2 for the second, and so on.
 */
export function evidenceOf(loss: number, firm: number, nth: number): number {
  // The evidence is -ln(p). p is the probability that a live server loses this packet after it has lost the packets
  // before it (beta-binomial distribution). p increases with each lost packet in a row, because packets are often lost
  // in bursts. Therefore each further lost packet adds less evidence.
  return -Math.log((loss * firm + nth) / (firm + nth));
}
