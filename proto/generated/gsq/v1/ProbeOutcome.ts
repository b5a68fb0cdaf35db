// Original file: gsq/v1/probe.proto

export const ProbeOutcome = {
  PROBE_OUTCOME_UNSPECIFIED: 'PROBE_OUTCOME_UNSPECIFIED',
  /**
   * A valid, complete reply.
   */
  PROBE_OUTCOME_ONLINE: 'PROBE_OUTCOME_ONLINE',
  PROBE_OUTCOME_NO_REPLY: 'PROBE_OUTCOME_NO_REPLY',
  /**
   * Something answered, but not what the protocol says.
   */
  PROBE_OUTCOME_MALFORMED: 'PROBE_OUTCOME_MALFORMED',
  /**
   * The connection was refused.
   */
  PROBE_OUTCOME_REFUSED: 'PROBE_OUTCOME_REFUSED',
  PROBE_OUTCOME_UNRESOLVABLE: 'PROBE_OUTCOME_UNRESOLVABLE',
  /**
   * The name resolved to an address that may not be probed; nothing was sent.
   */
  PROBE_OUTCOME_BLOCKED: 'PROBE_OUTCOME_BLOCKED',
  /**
   * The prober could not ask; says nothing about the server.
   */
  PROBE_OUTCOME_PROBER_FAULT: 'PROBE_OUTCOME_PROBER_FAULT',
  /**
   * Nothing was sent: as much goes to its IP address or network already as manners allow.
   */
  PROBE_OUTCOME_HELD_BACK: 'PROBE_OUTCOME_HELD_BACK',
} as const;

export type ProbeOutcome =
  | 'PROBE_OUTCOME_UNSPECIFIED'
  | 0
  /**
   * A valid, complete reply.
   */
  | 'PROBE_OUTCOME_ONLINE'
  | 1
  | 'PROBE_OUTCOME_NO_REPLY'
  | 2
  /**
   * Something answered, but not what the protocol says.
   */
  | 'PROBE_OUTCOME_MALFORMED'
  | 3
  /**
   * The connection was refused.
   */
  | 'PROBE_OUTCOME_REFUSED'
  | 4
  | 'PROBE_OUTCOME_UNRESOLVABLE'
  | 5
  /**
   * The name resolved to an address that may not be probed; nothing was sent.
   */
  | 'PROBE_OUTCOME_BLOCKED'
  | 6
  /**
   * The prober could not ask; says nothing about the server.
   */
  | 'PROBE_OUTCOME_PROBER_FAULT'
  | 7
  /**
   * Nothing was sent: as much goes to its IP address or network already as manners allow.
   */
  | 'PROBE_OUTCOME_HELD_BACK'
  | 8

export type ProbeOutcome__Output = typeof ProbeOutcome[keyof typeof ProbeOutcome]
