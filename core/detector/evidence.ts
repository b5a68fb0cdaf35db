/*
 * Wald's sequential probability ratio test: is a server gone, or is it alive and unlucky? Each lost packet adds the log of how
 * much likelier it is from a server that is gone (1) than from one that is alive (its loss). `THRESHOLD` bounds the chance
 * that a live server is ever convicted.
 * Source: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945).
 */

/** A live server is convicted with a probability below 10^-8. In nats. */
export const THRESHOLD = 8 * Math.LN10;

/** Measured shares of loss weigh as much as so many packets of what is known one step further out. */
const PRIOR_PACKETS = 16;
/** From so many packets on, what was measured of a host is trusted. */
const KNOWN_PACKETS = 24;
const COLD_LOSS = 0.5;
/** How firmly loss is believed to stay what it was: as if from so many packets. More of a host with many packets. */
const FIRMNESS = 32;
const MOST_FIRMNESS = 128;
/** Packets in an answered probe, as the history counts probes. */
const PACKETS_AN_ANSWER = 3;
/** Of a server's own loss, no more than this of the uplink's is taken as prior. */
const MOST_UPLINK_LOSS = 0.1;

/** Packets sent and lost, and the share taken for granted before any were sent. */
export function shareLost(sent: number, lost: number, prior: number): number {
  return (lost + PRIOR_PACKETS * prior) / (sent + PRIOR_PACKETS);
}

/** What is measured of a server and its host. */
export interface Measured {
  /** Share lost by all servers of the host, from `shareLost`. */
  hostLoss: number;
  uplinkLoss: number;
  /** Packets that were sent to the host lately. */
  hostPackets: number;
  /** Answered probes of the server itself, and their share of loss. */
  answers: number;
  ownShare: number;
}

/** The share of packets a live server would lose: the worst of what is measured, and half of all while little is. */
export function expectedLoss({ hostLoss, uplinkLoss, hostPackets, answers, ownShare }: Measured): number {
  const own = answers * PACKETS_AN_ANSWER;
  const ownLoss =
    (own * ownShare + PRIOR_PACKETS * Math.min(uplinkLoss, MOST_UPLINK_LOSS)) / (own + PRIOR_PACKETS);
  const cold = COLD_LOSS * (1 - (own + hostPackets) / KNOWN_PACKETS);
  return Math.max(hostLoss, ownLoss, cold);
}

/** How firmly the loss of a host is believed to stay what it was, in packets. */
export function firmness(hostPackets: number): number {
  return FIRMNESS + Math.min(MOST_FIRMNESS, hostPackets);
}

/**
 * What the n-th lost packet in a row adds, in nats: less than minus the log of the loss, since loss comes in bursts, so that
 * each lost packet makes the next likelier (the predictive probability of a beta-binomial).
 */
export function evidenceOf(loss: number, firm: number, nth: number): number {
  return -Math.log((loss * firm + nth) / (firm + nth));
}
