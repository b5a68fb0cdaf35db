/**
 * Fact in the CORE_1 error with which the core ends a stream whose caller reads too slowly. The gateway then does not open
 * the stream again, because the next one would end in the same way.
 */
export const slowReader = { reader: 'slow' } as const;
