import type { Channel } from '../../../contract/channels'
import type { FollowLevel } from '../../../contract/follows'
import { markChannelRead } from '../../data/reads'
import { useIsFavorite } from '../../data/sidebar'
import { setLevel, useChannelLevel, useUnread } from '../../data/unread'
import { Button } from '../../parts/button'
import { copyLink } from '../../parts/copy-link'
import { Icon } from '../../parts/icon'
import { Menu, MenuChoices } from '../../parts/menu'
import { paths } from '../../paths'
import { toFavoriteEntry, useLeaveEntry } from '../../shell/channel-menu'

interface Props {
  channel: Channel
  isJoined: boolean
  variant?: 'plain'
  isOpen?: boolean
}

/** What someone can do with a channel that is theirs: what they hear of it, whether it is a favorite, and leaving it. */
export function JoinedMenu({ channel, isJoined, variant, isOpen }: Props) {
  const level = useChannelLevel(channel.id)
  const isFavorite = useIsFavorite(channel.id)
  const isUnread = useUnread().channels.some(({ id, unread_count }) => id === channel.id && unread_count > 0)
  const [question, leave] = useLeaveEntry(channel)
  return (
    <>
      <Menu
        label="Channel actions"
        isOpen={isOpen}
        button={isJoined ? <JoinedButton channel={channel} variant={variant} /> : undefined}
        before={
          <MenuChoices
            title="Notify me about"
            value={level}
            choices={choices}
            choose={(chosen) => void setLevel(channel.id, chosen)}
          />
        }
        entries={[
          'line',
          isJoined && toFavoriteEntry(channel, isFavorite),
          {
            label: 'Mark all as read',
            icon: 'check',
            disabledReason: isUnread ? undefined : 'Nothing is unread.',
            run: () => void markChannelRead(channel.id),
          },
          { label: 'Copy link', icon: 'link', run: () => void copyLink(paths.channel(channel.id)) },
          isJoined && 'line',
          isJoined && leave,
        ]}
      />
      {question}
    </>
  )
}

type JoinedButtonProps = Pick<Props, 'channel' | 'variant'> & React.ComponentProps<'button'>

/** Shows that someone is in a channel, and opens its menu. */
export const JoinedButton = ({ channel, variant, ...rest }: JoinedButtonProps) => (
  <Button
    icon="check"
    variant={variant}
    className="joined"
    {...rest}
    label={variant ? `Joined ${channel.name}` : 'Joined'}
  >
    Joined
    {!variant && <Icon name="down" />}
  </Button>
)

const choices: [FollowLevel, string][] = [
  ['all', 'All posts'],
  ['mentions', 'Mentions and replies'],
  ['none', 'Nothing, mute the channel'],
]
