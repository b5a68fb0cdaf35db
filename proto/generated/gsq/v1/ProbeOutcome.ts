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
   * The host itself said that nothing listens: a refused connection, or an ICMP message.
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
  /**
   * The game wants a password, key or token that nobody gave, or refused the one it was given.
   */
  PROBE_OUTCOME_NEEDS_CREDENTIALS: 'PROBE_OUTCOME_NEEDS_CREDENTIALS',
  /**
   * The game wants something only its operator knows: a guild id, a query port.
   */
  PROBE_OUTCOME_NEEDS_OPTION: 'PROBE_OUTCOME_NEEDS_OPTION',
  /**
   * The directory or HTTP API that knows the server did not answer, or not with sense.
   */
  PROBE_OUTCOME_DIRECTORY_UNAVAILABLE: 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE',
  /**
   * The directory refused to tell: 401, 403, or its owner objects and the operator did not opt in. Or the server bans us.
   */
  PROBE_OUTCOME_DIRECTORY_REFUSED: 'PROBE_OUTCOME_DIRECTORY_REFUSED',
  /**
   * The directory answered, and does not know the server.
   */
  PROBE_OUTCOME_NOT_LISTED: 'PROBE_OUTCOME_NOT_LISTED',
  /**
   * Our own limits towards a directory put the look-up off, or the server says that it was asked too often; retry_after_ms
   * says how long.
   */
  PROBE_OUTCOME_PACED: 'PROBE_OUTCOME_PACED',
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
   * The host itself said that nothing listens: a refused connection, or an ICMP message.
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
  /**
   * The game wants a password, key or token that nobody gave, or refused the one it was given.
   */
  | 'PROBE_OUTCOME_NEEDS_CREDENTIALS'
  | 9
  /**
   * The game wants something only its operator knows: a guild id, a query port.
   */
  | 'PROBE_OUTCOME_NEEDS_OPTION'
  | 10
  /**
   * The directory or HTTP API that knows the server did not answer, or not with sense.
   */
  | 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE'
  | 11
  /**
   * The directory refused to tell: 401, 403, or its owner objects and the operator did not opt in. Or the server bans us.
   */
  | 'PROBE_OUTCOME_DIRECTORY_REFUSED'
  | 12
  /**
   * The directory answered, and does not know the server.
   */
  | 'PROBE_OUTCOME_NOT_LISTED'
  | 13
  /**
   * Our own limits towards a directory put the look-up off, or the server says that it was asked too often; retry_after_ms
   * says how long.
   */
  | 'PROBE_OUTCOME_PACED'
  | 14

export type ProbeOutcome__Output = typeof ProbeOutcome[keyof typeof ProbeOutcome]
