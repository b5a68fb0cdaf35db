// Original file: gsq/v1/probe.proto

export const ProbeOutcome = {
  PROBE_OUTCOME_UNSPECIFIED: 'PROBE_OUTCOME_UNSPECIFIED',
  /**
   * A valid, complete reply.
   */
  PROBE_OUTCOME_ONLINE: 'PROBE_OUTCOME_ONLINE',
  PROBE_OUTCOME_NO_REPLY: 'PROBE_OUTCOME_NO_REPLY',
  /**
   * An answer was received, but it does not follow the protocol.
   */
  PROBE_OUTCOME_MALFORMED: 'PROBE_OUTCOME_MALFORMED',
  /**
   * The host reported that nothing listens on the port: it refused the connection or sent an ICMP message.
   */
  PROBE_OUTCOME_REFUSED: 'PROBE_OUTCOME_REFUSED',
  PROBE_OUTCOME_UNRESOLVABLE: 'PROBE_OUTCOME_UNRESOLVABLE',
  /**
   * The host name resolved to an address that must not be probed. Nothing was sent.
   */
  PROBE_OUTCOME_BLOCKED: 'PROBE_OUTCOME_BLOCKED',
  /**
   * The prober could not send the query. This outcome contains no information about the server.
   */
  PROBE_OUTCOME_PROBER_FAULT: 'PROBE_OUTCOME_PROBER_FAULT',
  /**
   * Nothing was sent, because the rate limit of the IP address or network is reached.
   */
  PROBE_OUTCOME_HELD_BACK: 'PROBE_OUTCOME_HELD_BACK',
  /**
   * The query needs a password, key or token that is not set, or the server refused the one that is set.
   */
  PROBE_OUTCOME_NEEDS_CREDENTIALS: 'PROBE_OUTCOME_NEEDS_CREDENTIALS',
  /**
   * The query needs an option that only the operator of the server knows, such as a guild id or a query port.
   */
  PROBE_OUTCOME_NEEDS_OPTION: 'PROBE_OUTCOME_NEEDS_OPTION',
  /**
   * The directory or HTTP API that lists the server did not answer, or its answer was not usable.
   */
  PROBE_OUTCOME_DIRECTORY_UNAVAILABLE: 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE',
  /**
   * The directory refused the query (401 or 403), or its owner objects to queries and the operator of gsq did not opt
   * in. Also used if the server has banned gsq.
   */
  PROBE_OUTCOME_DIRECTORY_REFUSED: 'PROBE_OUTCOME_DIRECTORY_REFUSED',
  /**
   * The directory answered, but it does not list the server.
   */
  PROBE_OUTCOME_NOT_LISTED: 'PROBE_OUTCOME_NOT_LISTED',
  /**
   * The rate limit of gsq for a directory postponed the query, or the server answered that it gets too many queries.
   * retry_after_ms contains the time to wait.
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
   * An answer was received, but it does not follow the protocol.
   */
  | 'PROBE_OUTCOME_MALFORMED'
  | 3
  /**
   * The host reported that nothing listens on the port: it refused the connection or sent an ICMP message.
   */
  | 'PROBE_OUTCOME_REFUSED'
  | 4
  | 'PROBE_OUTCOME_UNRESOLVABLE'
  | 5
  /**
   * The host name resolved to an address that must not be probed. Nothing was sent.
   */
  | 'PROBE_OUTCOME_BLOCKED'
  | 6
  /**
   * The prober could not send the query. This outcome contains no information about the server.
   */
  | 'PROBE_OUTCOME_PROBER_FAULT'
  | 7
  /**
   * Nothing was sent, because the rate limit of the IP address or network is reached.
   */
  | 'PROBE_OUTCOME_HELD_BACK'
  | 8
  /**
   * The query needs a password, key or token that is not set, or the server refused the one that is set.
   */
  | 'PROBE_OUTCOME_NEEDS_CREDENTIALS'
  | 9
  /**
   * The query needs an option that only the operator of the server knows, such as a guild id or a query port.
   */
  | 'PROBE_OUTCOME_NEEDS_OPTION'
  | 10
  /**
   * The directory or HTTP API that lists the server did not answer, or its answer was not usable.
   */
  | 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE'
  | 11
  /**
   * The directory refused the query (401 or 403), or its owner objects to queries and the operator of gsq did not opt
   * in. Also used if the server has banned gsq.
   */
  | 'PROBE_OUTCOME_DIRECTORY_REFUSED'
  | 12
  /**
   * The directory answered, but it does not list the server.
   */
  | 'PROBE_OUTCOME_NOT_LISTED'
  | 13
  /**
   * The rate limit of gsq for a directory postponed the query, or the server answered that it gets too many queries.
   * retry_after_ms contains the time to wait.
   */
  | 'PROBE_OUTCOME_PACED'
  | 14

export type ProbeOutcome__Output = typeof ProbeOutcome[keyof typeof ProbeOutcome]
