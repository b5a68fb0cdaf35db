/**
 * A function that returns the current time in milliseconds since the Unix epoch. Passed as a parameter, so tests can
 * set the time.
 */
export type Now = () => number;
