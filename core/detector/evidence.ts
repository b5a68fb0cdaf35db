/*
 * Wald's sequential probability ratio test. It decides between two explanations if a server does not answer: the server
 * is gone, or it is alive and its packets were lost. Each lost packet adds the logarithm of a likelihood ratio: a gone
 * server loses the packet with probability 1, a live server with probability `loss`. `THRESHOLD` limits the probability
 * that a live server gets the verdict offline.
 *
 * Source: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945).
 */

/**
 * Evidence that an offline verdict needs, in nats (units of the natural logarithm). The probability that a live server
 * reaches this value is below 10^-8.
 */
export const THRESHOLD = 8 * Math.LN10;

/**
 * Weight of an expected packet loss that is averaged with the measured packet loss, as a number of packets. The
 * expected loss of a host is the loss of its network. The expected loss of a network is the loss of the prober's own
 * network connection.
 */
const PRIOR_PACKETS = 16;
/** Minimum number of measured packets at which `expectedLoss` uses only the measured loss and no assumed loss. */
const KNOWN_PACKETS = 24;
/** Packet loss that `expectedLoss` assumes before any packet was measured, as a share from 0 to 1. */
const COLD_LOSS = 0.5;
/**
 * Weight of a host's packet loss in `evidenceOf`, as a number of packets. The weight is FIRMNESS plus the number of
 * measured packets of the host. At most MOST_FIRMNESS measured packets count.
 */
const FIRMNESS = 32;
const MOST_FIRMNESS = 128;
/**
 * Assumed number of packets of an answered probe. It is used to calculate a server's own packet loss, because the
 * history of a server counts only answered probes, not packets.
 */
const PACKETS_AN_ANSWER = 3;
/**
 * A server's own packet loss is averaged with the loss of the prober's network connection (uplink). This constant is
 * the maximum uplink loss in the average, as a share from 0 to 1.
 */
const MOST_UPLINK_LOSS = 0.1;

/**
 * Returns the share of lost packets. A share that was measured with few packets is unreliable. Therefore it is averaged
 * with the expected share `prior`, which weighs as much as PRIOR_PACKETS packets.
 */
export function shareLost(sent: number, lost: number, prior: number): number {
  return (lost + PRIOR_PACKETS * prior) / (sent + PRIOR_PACKETS);
}

/**
 * Measured packet loss of a server, of its host, and of the prober's own network connection (uplink). Each loss is a
 * share from 0 to 1.
 */
export interface Measured {
  /** Packet loss of all servers of the host together, averaged with an expected loss (see `shareLost`). */
  hostLoss: number;
  uplinkLoss: number;
  /** Number of packets that were sent to the host in the last minutes. Older packets count less. */
  hostPackets: number;
  /**
   * Number of probes that this server has answered. `ownShare` is the share of this server's packets that were lost.
   */
  answers: number;
  ownShare: number;
}

/**
 * Returns the expected packet loss of a live server. This is the largest of three values: the loss of the host, the
 * server's own loss, and an assumed loss. The assumed loss is COLD_LOSS without measured packets, and falls to 0 at
 * KNOWN_PACKETS measured packets.
 */
export function expectedLoss({ hostLoss, uplinkLoss, hostPackets, answers, ownShare }: Measured): number {
  const own = answers * PACKETS_AN_ANSWER;
  const ownLoss =
    (own * ownShare + PRIOR_PACKETS * Math.min(uplinkLoss, MOST_UPLINK_LOSS)) / (own + PRIOR_PACKETS);
  const cold = COLD_LOSS * (1 - (own + hostPackets) / KNOWN_PACKETS);
  return Math.max(hostLoss, ownLoss, cold);
}

/**
 * Returns the weight of a host's packet loss in `evidenceOf`, as a number of packets. A loss that was measured with
 * more packets has a higher weight.
 */
export function firmness(hostPackets: number): number {
  return FIRMNESS + Math.min(MOST_FIRMNESS, hostPackets);
}

/**
 * Returns the evidence, in nats, that the n-th lost packet in a row adds. `loss`: expected packet loss. `firm`: weight
 * of `loss` (see `firmness`).
 *
 * Packet losses come in bursts. After a lost packet the next loss is more probable, so it adds less evidence. The
 * formula is minus the logarithm of the predictive probability of a beta-binomial distribution.
 */
export function evidenceOf(loss: number, firm: number, nth: number): number {
  return -Math.log((loss * firm + nth) / (firm + nth));
}
