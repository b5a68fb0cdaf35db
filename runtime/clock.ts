/** Time as a parameter: milliseconds since the Unix epoch. */
export type Now = () => number;
