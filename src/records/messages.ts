import type { Message } from '../contract/messages'
import { type Links, toAuthor } from '../domain/links'
import { messageFields, type OwnMessage, parseFields } from '../domain/record-fields'

/** A message from the JSON that the database makes of it. */
export const toMessage = ({ record }: { record: string }): Message => JSON.parse(record)

/** The record of a new message, without reading it back. */
export const toNewMessage = (links: Links, message: OwnMessage, author: string): Message => ({
  ...parseFields<Omit<Message, 'author'>>(messageFields(message)),
  author: toAuthor(links, author),
})
