/**
 * Additional data of an error. The core adds it to the CORE_1 error with which it ends a stream whose caller reads too
 * slowly. If an error has this data, the gateway does not open the stream again, because the next stream would end in
 * the same way.
 */
export const slowReader = { reader: 'slow' } as const;
