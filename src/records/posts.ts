import type { Post } from '../contract/posts'

/** A post from the JSON that the database makes of it. */
export const toPost = ({ record }: { record: string }): Post => JSON.parse(record)
