/*
 * Wald's sequential probability ratio test: decides whether a silent server is gone, or alive and its packets were
 * lost. Each lost packet adds the evidence `log(1 / loss)`; `loss` is its probability if the server is alive. At the
 * sum `THRESHOLD`, the verdict is offline.
 *
 * Source: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945).
 */

/**
 * Minimum sum of evidence for the verdict offline, in nats (units of the natural logarithm). For a server that is
 * alive, the probability that lost packets alone give such a sum is below 10^-8.
 */
export const THRESHOLD = 8 * Math.LN10;

/**
 * Weight of the expected loss in the average of `shareLost`, as a number of measured packets. A host is expected to
 * have the loss of its network, and a network the loss of the prober's own connection.
 */
const PRIOR_PACKETS = 16;
/** Minimum number of measured packets at which `expectedLoss` uses only the measured loss and no assumed loss. */
const KNOWN_PACKETS = 24;
/** Packet loss that `expectedLoss` assumes before any packet was measured, as a share from 0 to 1. */
const COLD_LOSS = 0.5;
/**
 * Parameters of `firmness`, which says how reliable the measured packet loss of a host is. The result is FIRMNESS plus
 * the number of measured packets. At most MOST_FIRMNESS packets count.
 */
const FIRMNESS = 32;
const MOST_FIRMNESS = 128;
/**
 * Estimated number of packets in one answered probe of a server. It converts a number of answered probes to a number of
 * packets.
 */
const PACKETS_AN_ANSWER = 3;
/**
 * Upper limit for the packet loss of the prober's network connection (uplink) in `expectedLoss`, a share from 0 to 1.
 * `expectedLoss` uses the loss of the uplink for servers with few measured packets.
 */
const MOST_UPLINK_LOSS = 0.1;

/**
 * Returns the packet loss, as a share from 0 to 1. With few packets, the measured loss is unreliable. Therefore it is
 * averaged with the expected loss `prior`, which weighs as much as PRIOR_PACKETS measured packets.
 */
export function shareLost(sent: number, lost: number, prior: number): number {
  return (lost + PRIOR_PACKETS * prior) / (sent + PRIOR_PACKETS);
}

/**
 * Measured packet loss of a server, of its host, and of the prober's own network connection (uplink). Each loss is a
 * share from 0 to 1.
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
 * Returns the packet loss to expect from a live server, from 0 to 1: the largest of the loss of its host, its own loss,
 * and an assumed loss.
 */
export function expectedLoss({ hostLoss, uplinkLoss, hostPackets, answers, ownShare }: Measured): number {
  const own = answers * PACKETS_AN_ANSWER;
  const ownLoss =
    (own * ownShare + PRIOR_PACKETS * Math.min(uplinkLoss, MOST_UPLINK_LOSS)) / (own + PRIOR_PACKETS);
  // The assumed loss is COLD_LOSS before any packet was measured. It falls to 0 at KNOWN_PACKETS measured packets.
  const cold = COLD_LOSS * (1 - (own + hostPackets) / KNOWN_PACKETS);
  return Math.max(hostLoss, ownLoss, cold);
}

/**
 * Returns how reliable the measured packet loss of a host is, as a number of packets. The value grows with the number
 * of measured packets. `evidenceOf` needs it.
 */
export function firmness(hostPackets: number): number {
  return FIRMNESS + Math.min(MOST_FIRMNESS, hostPackets);
}

/**
 * Returns the evidence of one lost packet that the server is gone, in nats (units of the natural logarithm).
 *
 * - `loss`: expected packet loss if the server is alive.
 * - `firm`: how reliable `loss` is, as a number of packets (`firmness`).
 * - `nth`: 1 for the first lost packet in a row, then 2, and so on.
 */
export function evidenceOf(loss: number, firm: number, nth: number): number {
  // The evidence is -ln(p). Here p is the probability of the loss if the server is alive (beta-binomial distribution).
  // Further lost packets add less evidence, because packets are often lost in bursts.
  return -Math.log((loss * firm + nth) / (firm + nth));
}
