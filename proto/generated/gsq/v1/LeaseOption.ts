// Original file: gsq/v1/probe.proto


/**
 * One option of a server: `guild`, `query_port` ...
 */
export interface LeaseOption {
  'name'?: (string);
  'value'?: (string);
}

/**
 * One option of a server: `guild`, `query_port` ...
 */
export interface LeaseOption__Output {
  'name': (string);
  'value': (string);
}
