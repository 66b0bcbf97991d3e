/** The tables of a store of messages with keys. */
export const tables = { messages: 'messages', statuses: 'statuses', jobs: 'jobs' } as const;

/** What the probe reads: the messages by their public id, and not by the number that the store gave the row. */
export const storedMessages = `${tables.messages} by messageId`;
