import type { Message } from '../contract/messages'
import { messageFields, type OwnMessage, parseFields } from '../domain/record-fields'
import { toAuthor } from './authors'
import type { Links } from './links'

/** A message from the JSON that the database makes of it. */
export const toMessage = ({ record }: { record: string }): Message => JSON.parse(record)

/** The record of a new message, without reading it back. */
export const toNewMessage = (links: Links, message: OwnMessage, author: string): Message => ({
  ...parseFields<Omit<Message, 'author'>>(messageFields(message)),
  author: toAuthor(links, author),
})
