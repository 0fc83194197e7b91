/** Pinned posts, which everyone in a channel sees, and saved posts, which only the member sees. */
export interface SavedTables {
  pins: {
    post_key: number
    /** The post's id and channel, so that the list of a channel is one index. */
    post_id: string
    workspace_key: number
    channel_key: number
    /** Who pinned it. */
    author_key: number
    pinned_at: number
  }
  saved_posts: {
    author_key: number
    post_key: number
    /** The post's id, so that the list of a member is one index. */
    post_id: string
    workspace_key: number
    saved_at: number
    /** Null if there is no reminder, or if the reminder was sent. */
    remind_at: number | null
  }
}
