/*
 * Wald's sequential probability ratio test: is a silent server gone, or alive and unlucky? Each lost packet adds the log of a
 * likelihood ratio: a gone server loses it with probability 1, a live one with probability `loss`. `THRESHOLD` bounds the
 * probability that a live server is called offline.
 * Source: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945).
 */

/** Evidence for a verdict, nats: a live server reaches it with a probability below 10^-8. */
export const THRESHOLD = 8 * Math.LN10;

/** Weight of the prior in a measured loss, in packets. The prior of a host is its network, that of a network the uplink. */
const PRIOR_PACKETS = 16;
/** Packets after which the measured loss of a host is trusted alone. */
const KNOWN_PACKETS = 24;
/** Loss that is assumed before any packet was measured. */
const COLD_LOSS = 0.5;
/** Least and most packets in the beta-binomial prior of a run of lost packets; see `evidenceOf`. */
const FIRMNESS = 32;
const MOST_FIRMNESS = 128;
/** Packets of one answered probe; the history counts probes. */
const PACKETS_AN_ANSWER = 3;
/** Upper bound of the uplink's loss as the prior of a server's own loss. */
const MOST_UPLINK_LOSS = 0.1;

/** Share of lost packets, smoothed by a prior share. */
export function shareLost(sent: number, lost: number, prior: number): number {
  return (lost + PRIOR_PACKETS * prior) / (sent + PRIOR_PACKETS);
}

/** Measured loss of a server, its host and the uplink. */
export interface Measured {
  /** Share lost by all servers of the host; from `shareLost`. */
  hostLoss: number;
  uplinkLoss: number;
  /** Packets sent to the host lately. */
  hostPackets: number;
  /** Answered probes of the server itself, and the share of their packets that was lost. */
  answers: number;
  ownShare: number;
}

/** Expected loss of a live server: the largest measured share, or up to one half while little is measured. */
export function expectedLoss({ hostLoss, uplinkLoss, hostPackets, answers, ownShare }: Measured): number {
  const own = answers * PACKETS_AN_ANSWER;
  const ownLoss =
    (own * ownShare + PRIOR_PACKETS * Math.min(uplinkLoss, MOST_UPLINK_LOSS)) / (own + PRIOR_PACKETS);
  const cold = COLD_LOSS * (1 - (own + hostPackets) / KNOWN_PACKETS);
  return Math.max(hostLoss, ownLoss, cold);
}

/** Weight of the measured loss in `evidenceOf`, in packets: more for a host with many packets. */
export function firmness(hostPackets: number): number {
  return FIRMNESS + Math.min(MOST_FIRMNESS, hostPackets);
}

/**
 * Evidence of the n-th lost packet in a row, nats. Loss comes in bursts, so each lost packet makes the next one likelier:
 * the value is minus the log of the predictive probability of a beta-binomial, which is less than minus the log of `loss`.
 */
export function evidenceOf(loss: number, firm: number, nth: number): number {
  return -Math.log((loss * firm + nth) / (firm + nth));
}
