/*
 * Wald's sequential probability ratio test. It decides between two explanations if a server does not answer: the server
 * is gone, or it is alive and its packets were lost. Each lost packet adds the logarithm of a likelihood ratio: a gone
 * server loses the packet with probability 1, a live server with probability `loss`. `THRESHOLD` limits the probability
 * that a live server gets the verdict offline.
 *
 * Source: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945).
 */

/**
 * Evidence that an offline verdict needs, in nats (units of the natural logarithm). A live server reaches this value
 * with a probability below 10^-8.
 */
export const THRESHOLD = 8 * Math.LN10;

/**
 * Weight of the prior (the expected packet loss) in the average of prior and measured packet loss, as a number of
 * packets. The prior of a host is the loss of its network. The prior of a network is the loss of the prober's uplink.
 */
const PRIOR_PACKETS = 16;
/** Minimum number of measured packets at which `expectedLoss` uses only the measured loss and no assumed loss. */
const KNOWN_PACKETS = 24;
/** Packet loss that is assumed before any packet was measured, as a share from 0 to 1. */
const COLD_LOSS = 0.5;
/**
 * Weight of a host's packet loss in `evidenceOf`, as a number of packets. FIRMNESS is the weight without measured
 * packets. Each measured packet of the host adds one to the weight, up to MOST_FIRMNESS.
 */
const FIRMNESS = 32;
const MOST_FIRMNESS = 128;
/**
 * Number of packets that each answered probe counts as in a server's own loss. The history of a server contains only
 * the number of its answered probes, not of their packets.
 */
const PACKETS_AN_ANSWER = 3;
/** Upper limit of the prior of a server's own packet loss. The prior is the packet loss of the prober's uplink. */
const MOST_UPLINK_LOSS = 0.1;

/**
 * Returns the share of lost packets, smoothed with a prior: `prior` is an expected share with the weight of
 * PRIOR_PACKETS packets.
 */
export function shareLost(sent: number, lost: number, prior: number): number {
  return (lost + PRIOR_PACKETS * prior) / (sent + PRIOR_PACKETS);
}

/** Measured packet loss of a server, of its host and of the prober's uplink. Losses are shares from 0 to 1. */
export interface Measured {
  /** Packet loss of all servers of the host together, smoothed by `shareLost`. */
  hostLoss: number;
  uplinkLoss: number;
  /** Number of packets that were sent to the host in the last minutes. Older packets count less. */
  hostPackets: number;
  /** Number of probes that the server itself has answered. `ownShare` is the share of packets that the server lost. */
  answers: number;
  ownShare: number;
}

/**
 * Returns the expected packet loss of a live server. This is the largest of three values: the loss of the host, the
 * server's own loss, and an assumed loss. The assumed loss is one half without measurements and falls to 0 at
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
 * Returns the weight of a host's packet loss in `evidenceOf`, in packets. The weight is higher if the loss was measured
 * with more packets.
 */
export function firmness(hostPackets: number): number {
  return FIRMNESS + Math.min(MOST_FIRMNESS, hostPackets);
}

/**
 * Returns the evidence, in nats, of the n-th lost packet in a row. `loss`: expected packet loss. `firm`: weight of
 * `loss`, as returned by `firmness`.
 *
 * Packet loss comes in bursts, so each lost packet makes the next loss more probable. Therefore each further lost
 * packet adds less evidence. The evidence is minus the logarithm of the predictive probability of a beta-binomial
 * distribution.
 */
export function evidenceOf(loss: number, firm: number, nth: number): number {
  return -Math.log((loss * firm + nth) / (firm + nth));
}
