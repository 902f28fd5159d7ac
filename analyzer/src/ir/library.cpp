// Inline members of libstdc++ whose code a compile without optimisation leaves to the library: build.rs makes IR of
// these, and the analyzer puts it where such a program calls them.

#include <fstream>
#include <sstream>
#include <string>

template class std::allocator<char>;
template class std::basic_string<char>;
template class std::basic_ios<char>;
template class std::basic_streambuf<char>;
template class std::basic_istream<char>;
template class std::basic_ostream<char>;
template class std::basic_iostream<char>;
template class std::basic_filebuf<char>;
template class std::basic_ifstream<char>;
template class std::basic_ofstream<char>;
template class std::basic_fstream<char>;
template class std::basic_stringbuf<char>;
template class std::basic_istringstream<char>;
template class std::basic_ostringstream<char>;
template class std::basic_stringstream<char>;
