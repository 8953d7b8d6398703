// P1 and P2 for ns-3, with the same paths and the same rules as ../src/networks.rs.
//
//   dumbbell P1|P2 SECONDS [westwood|reno]
//
// Prints "delivered N": full segments that reached the applications of the flows from left to right,
// and "delivered_back N" for those that go back.

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/nix-vector-routing-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

namespace
{

// Headers of PPP, IP and TCP with timestamps take 54 bytes, so that a packet has 1500 on the link.
constexpr uint32_t SEGMENT = 1446;

class Dumbbell
{
  public:
    Dumbbell()
    {
        m_routers.Create(2);
        m_stack.SetRoutingHelper(m_routing);
        m_stack.SetIpv6StackInstall(false);
        m_stack.Install(m_routers);
        m_addresses.SetBase("10.0.0.0", "255.255.255.252");
    }

    void Bottleneck(const std::string& rate, Time delay, uint32_t waiting)
    {
        Cable(m_routers.Get(0), m_routers.Get(1), rate, delay, waiting);
    }

    // A flow between hosts of its own, from left to right or back. Its receiver.
    Ptr<PacketSink> Flow(const std::string& access, Time delay, Time start, bool back)
    {
        constexpr uint16_t PORT = 9;
        NodeContainer hosts;
        hosts.Create(2);
        m_stack.Install(hosts);
        Ipv4Address left = Cable(hosts.Get(0), m_routers.Get(0), access, delay, 1000000);
        Ipv4Address right = Cable(hosts.Get(1), m_routers.Get(1), access, delay, 1000000);
        uint32_t to = back ? 0 : 1;

        InetSocketAddress receiver(back ? left : right, PORT);
        PacketSinkHelper sink("ns3::TcpSocketFactory", receiver);
        ApplicationContainer sinks = sink.Install(hosts.Get(to));
        sinks.Start(Seconds(0));

        BulkSendHelper source("ns3::TcpSocketFactory", receiver);
        source.SetAttribute("SendSize", UintegerValue(SEGMENT));
        source.Install(hosts.Get(1 - to)).Start(start);
        return DynamicCast<PacketSink>(sinks.Get(0));
    }

  private:
    // A duplex link; the address of its first end. Its own queue is the only one: the queue discs
    // above the device, which ns-3 installs by default, are taken away.
    Ipv4Address Cable(Ptr<Node> a, Ptr<Node> b, const std::string& rate, Time delay, uint32_t waiting)
    {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue(rate));
        link.SetChannelAttribute("Delay", TimeValue(delay));
        link.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(PACKETS, waiting)));
        NetDeviceContainer devices = link.Install(a, b);
        Ipv4InterfaceContainer interfaces = m_addresses.Assign(devices);
        TrafficControlHelper().Uninstall(devices);
        m_addresses.NewNetwork();
        return interfaces.GetAddress(0);
    }

    static constexpr QueueSizeUnit PACKETS = QueueSizeUnit::PACKETS;

    NodeContainer m_routers;
    InternetStackHelper m_stack;
    // Global and static routing look through all routes for each packet; this one does not.
    Ipv4NixVectorHelper m_routing;
    Ipv4AddressHelper m_addresses;
};

void
Defaults(const std::string& row, const std::string& controller)
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    // Larger than any window that comes about, and no larger: the applications fill what they are given.
    uint32_t buffer = row == "P1" ? 8 << 20 : 1 << 20;
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(100)));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
    bool sack = row == "P1";
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(sack));
    if (!sack)
    {
        TypeId recovery = TcpClassicRecovery::GetTypeId();
        Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(recovery));
    }
    bool westwood = row == "P1" && controller != "reno";
    TypeId congestion = westwood ? TcpWestwood::GetTypeId() : TcpNewReno::GetTypeId();
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(congestion));
    Config::SetDefault("ns3::TcpWestwood::ProtocolType", EnumValue(TcpWestwood::WESTWOODPLUS));
}

uint64_t
Delivered(const std::vector<Ptr<PacketSink>>& sinks)
{
    uint64_t bytes = 0;
    for (const auto& sink : sinks)
    {
        bytes += sink->GetTotalRx();
    }
    return bytes / SEGMENT;
}

} // namespace

int
main(int argc, char* argv[])
{
    if (argc < 3)
    {
        std::cerr << "usage: dumbbell P1|P2 SECONDS [westwood|reno]" << std::endl;
        return 2;
    }
    std::string row = argv[1];
    Defaults(row, argc > 3 ? argv[3] : "");
    Dumbbell dumbbell;
    std::vector<Ptr<PacketSink>> there;
    std::vector<Ptr<PacketSink>> back;
    if (row == "P1")
    {
        dumbbell.Bottleneck("100Mbps", MilliSeconds(10), 300);
        there.push_back(dumbbell.Flow("1Gbps", MilliSeconds(40), Seconds(0), false));
    }
    else
    {
        dumbbell.Bottleneck("10Mbps", MilliSeconds(5), 113);
        for (uint32_t i = 0; i < 110; i++)
        {
            Time delay = MicroSeconds(3000 + 57000 * (i % 100) / 99);
            bool reverse = i >= 100;
            auto sink = dumbbell.Flow("100Mbps", delay, MilliSeconds(37 * i), reverse);
            (reverse ? back : there).push_back(sink);
        }
    }
    Simulator::Stop(Seconds(std::atof(argv[2])));
    Simulator::Run();
    std::cout << "delivered " << Delivered(there) << "\ndelivered_back " << Delivered(back) << std::endl;
    Simulator::Destroy();
    return 0;
}
