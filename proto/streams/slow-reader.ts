/**
 * This fact is part of the CORE_1 error with which the core ends a stream whose caller reads too slowly. The gateway
 * then does not open the stream again, because the next stream would end in the same way.
 */
export const slowReader = { reader: 'slow' } as const;
