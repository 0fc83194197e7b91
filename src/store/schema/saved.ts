/** Posts that are kept at hand: by a channel for everyone, or by a member for themselves. */
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
    /** Null where there is no reminder, or the reminder has come. */
    remind_at: number | null
  }
}
