# P1 and P2 for ns-2.35, with the same paths and the same rules as ../src/networks.rs.
#
#   ns dumbbell.tcl P1|P2 SECONDS [westwood|reno]
#
# Prints "delivered N": packets acknowledged in order, over all flows that go from left to right, and
# "delivered_back N" for those that go back.

# Only the headers that are used: ns-2 allocates and clears all of them for every packet.
remove-all-packet-headers
add-packet-header IP TCP Flags

lassign $argv row seconds controller
set ns [new Simulator]

# 1500 bytes on the wire for a data packet, 40 for an ACK, as ours.
Agent/TCP set packetSize_ 1460
Agent/TCP set ts_option_size_ 0
Agent/TCP set window_ 1000000
Agent/TCP set maxcwnd_ 0
Agent/TCP set windowInitOption_ 1
Agent/TCP set windowInit_ 10
Agent/TCP set timestamps_ 1
# RFC 6298: a clock of 1 ms, and no timeout below a second.
Agent/TCP set tcpTick_ 0.001
Agent/TCP set minrto_ 1
Agent/TCPSink/DelAck set interval_ 100ms
Agent/TCPSink/Sack1/DelAck set interval_ 100ms

# A duplex link whose limit lets `waiting` packets wait beside the one in service: ns-2 drops an
# arrival when those that wait, plus one, reach the limit.
proc cable {a b rate delay waiting} {
    global ns
    $ns duplex-link $a $b $rate $delay DropTail
    foreach {from to} [list $a $b $b $a] {
        $ns queue-limit $from $to [expr {$waiting + 1}]
    }
}

# A flow between hosts of its own, from left to right or back.
proc flow {agent sink left right access delay start back} {
    global ns
    set hosts [list [$ns node] [$ns node]]
    cable [lindex $hosts 0] $left $access $delay 1000000
    cable [lindex $hosts 1] $right $access $delay 1000000
    lassign [expr {$back ? [lreverse $hosts] : $hosts}] from to
    set tcp [new $agent]
    set receiver [new $sink]
    $ns attach-agent $from $tcp
    $ns attach-agent $to $receiver
    $ns connect $tcp $receiver
    set application [new Application/FTP]
    $application attach-agent $tcp
    $ns at $start "$application start"
    return $tcp
}

set left [$ns node]
set right [$ns node]
set there {}
set back {}

if {$row eq "P1"} {
    cable $left $right 100Mb 10ms 300
    set sink Agent/TCPSink/Sack1/DelAck
    if {$controller eq "reno"} {
        lappend there [flow Agent/TCP/Sack1 $sink $left $right 1000Mb 40ms 0 0]
    } else {
        # Linux 2.6.22's module over ns-2's own scoreboard: its Westwood+ counts as ns-2's nearest.
        set tcp [flow Agent/TCP/Linux $sink $left $right 1000Mb 40ms 0 0]
        $ns at 0 "$tcp select_ca westwood"
        lappend there $tcp
    }
} else {
    cable $left $right 10Mb 5ms 113
    for {set i 0} {$i < 110} {incr i} {
        set delay [expr {0.003 + 0.057 * ($i % 100) / 99}]s
        set start [expr {0.037 * $i}]
        set reverse [expr {$i >= 100}]
        set tcp [flow Agent/TCP/Newreno Agent/TCPSink/DelAck $left $right 100Mb $delay $start $reverse]
        lappend [expr {$reverse ? "back" : "there"}] $tcp
    }
}

proc delivered {flows} {
    set sum 0
    # The number of the last packet acknowledged; the first is 0.
    foreach tcp $flows { incr sum [expr {[$tcp set ack_] + 1}] }
    return $sum
}

proc finish {} {
    global there back
    # libc's stdout of Agent/TCP/Linux would break the lines.
    puts stderr "delivered [delivered $there]"
    puts stderr "delivered_back [delivered $back]"
    exit 0
}

$ns at $seconds finish
$ns run
