/** A value as it crosses threads and pipes: JSON, with tagged objects for what JSON cannot say. */
export type Wire = null | boolean | number | string | Wire[] | { [key: string]: Wire };
