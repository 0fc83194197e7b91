import { type ReactNode, Suspense } from 'react'
import { Link, useLocation } from 'wouter'
import type { Channel } from '../../../contract/channels'
import { useIsInNoChannel } from '../../data/channels'
import { usePermissions } from '../../data/me'
import { Button } from '../../parts/button'
import { Icon } from '../../parts/icon'
import { lazyLoad } from '../../parts/lazy-load'
import { Empty } from '../../parts/states'
import { paths } from '../../paths'
import { PageTitle } from '../../shell/title'
import { useNewPostPath } from '../../shell/use-new-post-path'

/** Loaded later, because the first page does not need them. */
const ChannelTools = lazyLoad(async () => ({ default: (await import('./channel-tools')).ChannelTools }), 'soon')
const FavoriteButton = lazyLoad(async () => ({ default: (await import('./channel-tools')).FavoriteButton }), 'soon')

interface Props {
  title: string
  /** What the page shows as its title, if it is not the same. */
  heading?: string
  channel: Channel | undefined
  /** The tabs. */
  children: ReactNode
}

/** The head of a feed, and of the other pages of a channel. It stays visible while scrolling. */
export function FeedHead({ title, heading, channel, children }: Props) {
  const [, navigate] = useLocation()
  const { writeDeniedReason } = usePermissions()
  const isInNoChannel = useIsInNoChannel()
  const newPost = useNewPostPath()
  return (
    <div className="feed-head">
      <div className="page-head">
        <div className="feed-title">
          {channel && <Icon name={channel.is_private ? 'lock' : 'hash'} size={20} />}
          <PageTitle title={title}>{heading}</PageTitle>
          {channel?.is_private && <span className="visually-hidden">Private</span>}
          {channel && (
            <Suspense>
              <FavoriteButton channel={channel} />
            </Suspense>
          )}
        </div>
        <div className="row">
          {channel && (
            <Suspense>
              <ChannelTools channel={channel} />
            </Suspense>
          )}
          {!writeDeniedReason && !isInNoChannel && (
            <Button icon="plus" variant="primary" onClick={() => navigate(newPost)}>
              New post
            </Button>
          )}
        </div>
      </div>
      {channel?.description && (
        <p className="channel-description" dir="auto">
          {channel.description}
        </p>
      )}
      {children}
    </div>
  )
}

export const NoChannel = () => (
  <main className="page" id="main">
    <PageTitle title="Not found" isNotFound />
    <Empty title="Channel not found" action={<Link href={paths.channels}>Browse channels</Link>}>
      It may have been archived, or it is private and you are not a member.
    </Empty>
  </main>
)
