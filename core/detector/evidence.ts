/*
 * Decides between two explanations for a server that does not answer: the server is gone, or the server is alive and
 * the packets were lost. The method is Wald's sequential probability ratio test. Each lost packet adds evidence that
 * the server is gone: `log(1 / loss)`, where `loss` is the probability that the packet is lost although the server is
 * alive. The server gets the verdict offline when the sum of the evidence reaches `THRESHOLD`.
 *
 * Source: A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945).
 */

/**
 * Minimum sum of evidence for the verdict offline, in nats (units of the natural logarithm). For a server that is
 * alive, the probability that lost packets alone give such a sum is below 10^-8.
 */
export const THRESHOLD = 8 * Math.LN10;

/**
 * Weight of the expected packet loss in `shareLost`, as a number of measured packets. `shareLost` averages the measured
 * loss with the expected loss. For a host, the expected loss is the loss of its network. For a network, it is the loss
 * of the prober's own network connection.
 */
const PRIOR_PACKETS = 16;
/** Minimum number of measured packets at which `expectedLoss` uses only the measured loss and no assumed loss. */
const KNOWN_PACKETS = 24;
/** Packet loss that `expectedLoss` assumes before any packet was measured, as a share from 0 to 1. */
const COLD_LOSS = 0.5;
/**
 * Two numbers for `firmness`, the weight of a host's measured packet loss. The weight is FIRMNESS plus the number of
 * measured packets, of which at most MOST_FIRMNESS count.
 */
const FIRMNESS = 32;
const MOST_FIRMNESS = 128;
/**
 * Estimated number of packets in one answered probe of a server. It converts a number of answered probes to a number of
 * packets.
 */
const PACKETS_AN_ANSWER = 3;
/**
 * Upper limit for `uplinkLoss` when `expectedLoss` estimates the packet loss of a single server. A share from 0 to 1.
 * The uplink is the prober's network connection.
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
 * Returns the packet loss that is expected if the server is alive. This is the largest of three values: the loss of the
 * host, the server's own loss, and an assumed loss. The assumed loss is COLD_LOSS for a server without measured
 * packets, and falls to 0 with KNOWN_PACKETS measured packets.
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
 * Returns the evidence that the n-th lost packet in a row adds. The evidence suggests that the server is gone, and is
 * measured in nats (units of the natural logarithm). `loss`: expected packet loss if the server is alive. `firm`:
 * weight of `loss` (see `firmness`).
 *
 * Packets are often lost in bursts. Therefore each further lost packet adds less evidence. The evidence is -ln(p),
 * where p is the predictive probability of a beta-binomial distribution that the packet is lost.
 */
export function evidenceOf(loss: number, firm: number, nth: number): number {
  return -Math.log((loss * firm + nth) / (firm + nth));
}
